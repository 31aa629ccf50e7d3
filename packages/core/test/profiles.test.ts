/** The same script under Kafka's behaviour and under the original's, side by side, beside what it showed before. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { transcriptOf } from "./profile-transcript.ts";

const GOLDEN = new URL("golden/replication-profiles.txt", import.meta.url);

test("the two profiles show what the golden transcript shows; MINIKAFKA_GOLDEN=write writes it anew", async () => {
  const [kafka, original] = [await transcriptOf("kafka"), await transcriptOf("original")];
  const pages = kafka.map(({ title, lines }, scene) => {
    const others = original[scene]?.lines ?? [];
    const shown = lines.map((line, index) => {
      const other = others[index] ?? "";
      return line === other ? `  ${line}` : `k ${line}\no ${other}`;
    });
    return [`# ${title}`, ...shown].join("\n");
  });
  const legend =
    "Lines that begin with k are Kafka's, those with o the original's, the rest are both's.\nlogs: log end offset/high watermark of each replica, as it knows them.";
  const text = `${legend}\n\n${pages.join("\n\n")}\n`;
  if (process.env.MINIKAFKA_GOLDEN === "write") writeFileSync(GOLDEN, text);
  expect(text).toBe(readFileSync(GOLDEN, "utf8"));
});
