/** Who stands at the other end of a connection, and at whose port. */
export interface KafkaPeer {
  /** The broker that was asked; it answers for what it leads and coordinates. */
  readonly brokerId: number;
  /** As Kafka shows it: `/127.0.0.1`. */
  readonly clientHost: string;
}
