/** The settings of transactions, resolved. */

export interface TransactionConfig {
  /** Kafka: transaction.max.timeout.ms, 15 minutes, which is the default. The most that a producer may ask for. */
  readonly transactionMaxTimeoutMs: number;
  /** Kafka: transactional.id.expiration.ms. An id that nobody has used for so long is forgotten. Default 7 days, as in Kafka. */
  readonly transactionalIdExpirationMs: number;
  /**
   * Kafka: transaction.state.log.num.partitions, 50: into how many partitions the internal topic of transactional ids is divided
   * when it is made. Default 4.
   */
  readonly transactionsTopicPartitions: number;
}
