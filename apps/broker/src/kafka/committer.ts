/** Who commits offsets: `null` for a consumer that is no member, which Kafka's clients say by generation -1 and no id. */
export function committerOf(said: {
  readonly memberId: string;
  readonly generation: number;
  readonly groupInstanceId: string | null;
}) {
  const { memberId, generation, groupInstanceId } = said;
  return memberId === "" && generation < 0 && groupInstanceId === null ? null : said;
}
