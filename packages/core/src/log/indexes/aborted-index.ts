/** What the log knows of aborted transactions: each is told by its abort marker. Kafka: TransactionIndex. */
export interface AbortedTransaction {
  readonly producerId: number;
  /** Of its first record. */
  readonly firstOffset: number;
  /** Of its abort marker. */
  readonly lastOffset: number;
}
