/** What each shell has to be told: to ask this program, whenever somebody presses Tab, for what may stand there. */
import { printable } from "../output/printable.ts";
import type { Candidate, Completion } from "./candidates.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** The command that the scripts call; `COMPLETE SHELL -- WORDS…`. */
export const COMPLETE = "__complete";

/** A line of the answer: names of files may stand there too. No candidate looks so, since each begins with what was typed. */
const FILES = ":files";

/** The program that is being typed, by its path where one was typed; an alias stands for the one on the PATH. */
const BASH = `\
# bash completion of minikafka-cli
_minikafka_cli() {
  local program=\${COMP_WORDS[0]} word=\${COMP_WORDS[COMP_CWORD]} line name
  type -P "$program" >/dev/null || program=minikafka-cli
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ${FILES} ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$word")
    else
      printf -v name %q "$line"
      COMPREPLY+=("$name")
    fi
  done < <("$program" ${COMPLETE} bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" </dev/null 2>/dev/null)
}
complete -F _minikafka_cli minikafka-cli
`;

const ZSH = `\
#compdef minikafka-cli
# zsh completion of minikafka-cli
_minikafka_cli() {
  local program=\${(Q)words[1]} line files=
  local -a candidates typed
  whence -p -- "\${program/#\\~/$HOME}" >/dev/null && program=\${program/#\\~/$HOME} || program=minikafka-cli
  typed=("\${(@Q)words[2,CURRENT]}")
  while IFS= read -r line; do
    if [[ $line == ${FILES} ]]; then files=1; else candidates+=("$line"); fi
  done < <("$program" ${COMPLETE} zsh -- "\${typed[@]}" </dev/null 2>/dev/null)
  (( $#candidates )) && _describe -V minikafka-cli candidates
  [[ -n $files ]] && _files
  return 0
}
if [[ $funcstack[1] == _minikafka_cli ]]; then _minikafka_cli "$@"; else compdef _minikafka_cli minikafka-cli; fi
`;

const FISH = `\
# fish completion of minikafka-cli
function __minikafka_cli_complete
  set -l typed (commandline -opc)
  set -l word (commandline -ct)
  set -l program $typed[1]
  type -q -- $program; or set program minikafka-cli
  for line in ($program ${COMPLETE} fish -- $typed[2..-1] "$word" </dev/null 2>/dev/null)
    if test "$line" = ${FILES}
      __fish_complete_path "$word"
    else
      printf '%s\\n' $line
    end
  end
end
complete -c minikafka-cli -f -a '(__minikafka_cli_complete)'
`;

const SCRIPTS: { readonly [Name in Shell]: string } = { bash: BASH, zsh: ZSH, fish: FISH };

export function scriptFor(shell: Shell): string {
  return SCRIPTS[shell];
}

/** Bash takes a word apart at these, and the script has the parts. */
const BREAKS = /^[=:]+$/;

/** A name with these, as a group may have it, would come in pieces that nothing is called by: it is left out. */
const ENDS_A_LINE = /[\0\n]/;

/** The words as they were typed. */
export function typedWords(shell: Shell, given: readonly string[]): string[] {
  if (shell !== "bash") return [...given];
  const words: string[] = [];
  let isBroken = false;
  for (const part of given) {
    const isBreak = BREAKS.test(part);
    const last = words.at(-1);
    if ((isBreak || isBroken) && last !== undefined) words[words.length - 1] = last + part;
    else words.push(part);
    isBroken = isBreak;
  }
  return words;
}

/** The answer, a candidate a line, as the shell's script reads it. `given` is what the script had. */
export function answerFor(shell: Shell, given: readonly string[], completion: Completion): string[] {
  const last = given.at(-1) ?? "";
  const joined = typedWords(shell, given).at(-1) ?? "";
  // Of a word that was taken apart bash replaces the last part, and nothing of a break.
  const kept = joined.length - (BREAKS.test(last) ? 0 : last.length);
  const whole = completion.candidates.filter(({ word }) => !ENDS_A_LINE.test(word));
  const lines = whole.map((candidate) =>
    shell === "bash" ? candidate.word.slice(joined === last ? 0 : kept) : described(shell, candidate),
  );
  return completion.files ? [...lines, FILES] : lines;
}

function described(shell: Shell, { word, about }: Candidate): string {
  const name = shell === "zsh" ? word.replaceAll("\\", "\\\\").replaceAll(":", "\\:") : word;
  if (about === undefined) return name;
  return `${name}${shell === "zsh" ? ":" : "\t"}${printable(about)}`;
}
