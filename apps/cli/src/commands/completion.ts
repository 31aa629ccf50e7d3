/** `completion`: the script that a shell needs to complete this program's lines, and the command that the script calls. */
import { Argument, type Command } from "commander";
import { answerFor, COMPLETE, SHELLS, type Shell, scriptFor, typedWords } from "../completion/shells.ts";
import type { Context, Perform } from "../context.ts";
import { examples } from "../output/examples.ts";
import { addSharedOptions } from "../settings.ts";

const NOTE = `\
For every shell that starts from now on:
  bash  minikafka-cli completion bash > ~/.local/share/bash-completion/completions/minikafka-cli
        or, without the package bash-completion, in ~/.bashrc: eval "$(minikafka-cli completion bash)"
  zsh   minikafka-cli completion zsh > "\${fpath[1]}/_minikafka-cli"
        or in ~/.zshrc, after compinit: eval "$(minikafka-cli completion zsh)"
  fish  minikafka-cli completion fish > ~/.config/fish/completions/minikafka-cli.fish

The script is the same for every version: at each Tab it asks minikafka-cli itself. Topics, groups and other names
come from the broker that the line would talk to, by -b, --context, the environment or the current context; nothing is
shown when it does not answer within 400 ms, or MINIKAFKA_COMPLETION_TIMEOUT, such as 2s. A line that begins with npx is npx's.`;

export function declareCompletion(program: Command, perform: Perform): void {
  const command = program
    .command("completion")
    .summary("print what a shell needs to complete commands, options and names")
    .description("Prints the script by which a shell completes this program's commands, options and names.")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .action((shell: Shell, _options: unknown, self: Command) =>
      perform(self, (context) => printScript(context, shell)),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(['eval "$(minikafka-cli completion bash)"', "minikafka-cli completion fish | source"], NOTE),
  );
}

/** What a completion script calls. */
export function declareComplete(program: Command, perform: Perform): void {
  program
    .command(COMPLETE, { hidden: true })
    .summary("answer a completion script")
    .description("Answers a completion script: what may stand in place of the last word.")
    .addArgument(new Argument("<shell>", "whose script asks").choices(SHELLS))
    .argument("[words...]", "what is typed behind the program's name")
    .action((shell: Shell, words: string[], _options: unknown, self: Command) =>
      perform(self, (context) => complete(context, program, { shell, words })),
    );
}

async function printScript(context: Context, shell: Shell): Promise<undefined> {
  const script = scriptFor(shell);
  await (context.settings.json ? context.data.json({ shell, script }) : context.data.write(script));
  return undefined;
}

interface Asked {
  readonly shell: Shell;
  readonly words: readonly string[];
}

async function complete(context: Context, program: Command, { shell, words }: Asked): Promise<undefined> {
  const { completionOf } = await import("../completion/candidates.ts");
  const { namesFrom } = await import("../completion/names.ts");
  const completion = await completionOf(program, typedWords(shell, words), namesFrom(context));
  for (const line of answerFor(shell, words, completion)) await context.data.write(`${line}\n`);
  return undefined;
}
