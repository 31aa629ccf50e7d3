/**
 * Every bound of the kernel, units last. Kafka's name and default stand beside a number that has one. The relations below
 * are checked when the module is loaded: a limit that no longer fits the others stops the broker before it does harm.
 */
import { RECORDS_PER_BATCH_MAX, UNPACKED_BYTES_MAX } from "@minikafka/record";
import { assert } from "./assert.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

export const LIMITS = {
  /** A batch on disk and on the wire, header included (Kafka: message.max.bytes, 1048588). */
  batchBytesMax: 2 * MIB,
  /** A frame of the JSON protocol by default; a batch travels in it as Base64, four bytes for three. */
  frameBytesMax: 4 * MIB,
  /** What a JSON line may hold beside the batch itself. */
  frameOverheadBytesMax: 64 * KIB,
  /** What the records of a compressed batch may unpack to. Kafka has no such bound. */
  unpackedBytesMax: UNPACKED_BYTES_MAX,
  /** Records of one batch. The offset delta is an i32; this keeps a batch readable in one go. */
  recordsPerBatchMax: RECORDS_PER_BATCH_MAX,

  /** Kafka: segment.bytes. The daemon in auto mode rolls at 64 MiB, a stepped cluster at 1 MiB. */
  segmentBytesDefault: 64 * MIB,
  segmentBytesManualDefault: MIB,
  segmentBytesMin: KIB,
  /** Positions in an index are u32, and a file of 2^31 bytes is the most that all systems read alike (Kafka: the same). */
  segmentBytesMax: 2 ** 31 - 1,
  /** Kafka: index.interval.bytes, 4096. */
  indexIntervalBytesDefault: 4 * KIB,
  indexIntervalBytesMin: 1,
  /** What one read of recovery or of an index's rebuilding takes into memory. */
  scanChunkBytes: 4 * MIB,
  /** The same for a walk over headers alone, which steps over most of what it meets when batches are large. */
  headerChunkBytes: 64 * KIB,
  /** So much of a segment is flushed at most before the manifest says so: what recovery reads twice after a crash. */
  recoveryLagBytesMax: 16 * MIB,
  /** Rolled segments of one log that wait for a flush: beyond them, it is flushed without being asked. */
  unsealedSegmentsMax: 16,
  /** What the indexes of all logs hold in memory; those that were not used for longest are read again from their files. */
  indexMemoryBytesMax: 64 * MIB,
  /** Logs that are flushed or closed at a time when it is done to all of a broker. Node asks a device for four at a time. */
  logsFlushedAtOnce: 16,
  /** Below what systems commonly allow a process, 1024, with room for connections. Fewer than the least make every call wait. */
  openFilesDefault: 512,
  openFilesMin: 10,
  openFilesMax: 1_000_000,
  /** What a compaction reads and writes between two rests: a few milliseconds of work. */
  compactionChunkBytes: MIB,
  /** Kafka: log.cleaner.dedupe.buffer.size, 128 MiB; one key takes 32 bytes of it (log/compaction/key-offset-map.ts). */
  compactionBufferBytesDefault: 128 * MIB,
  compactionBufferBytesMin: KIB,
  compactionBufferBytesMax: 4 * 1024 * MIB,
  /** An entry of 12 bytes for each batch of a segment, the smallest of which has 64; one of 24 for each abort marker, of 88. */
  indexFileBytesMax: 600 * MIB,
  /** Kafka: transactional.id is text of any length; a name of ours stands in a file that is read whole. */
  producerNameLengthMax: 249,
  namedProducersMax: 10_000,
  /** Producers without a name whose newest epoch is remembered after they asked for it. */
  unnamedEpochsMax: 10_000,
  /** Kafka: ProducerIdsBlock, 1000: one write for so many ids. What is not given before a restart never is. */
  producerIdsPerBlock: 1000,
  /** Kafka: ProducerStateEntry.NUM_BATCHES_TO_RETAIN, 5, which is as many as an idempotent producer may have in flight. */
  batchesPerProducerMax: 5,
  /** Beyond them, the producer that was silent for longest is forgotten. A snapshot of so many must fit a checkpoint. */
  producersPerPartitionMax: 50_000,
  producerSnapshotBytesPerProducerMax: 480,
  /** Kafka: producer.id.expiration.ms. */
  producerExpirationMsDefault: 24 * 60 * 60 * 1000,
  /** Snapshots of one log's producers: the newest is read, an older one when that is damaged or the log was cut back. */
  producerSnapshotsMax: 3,
  /** A fetch answer, whatever the client asks for (Kafka: fetch.max.bytes, 55 MiB on a broker). */
  fetchBytesMax: 64 * MIB,

  /** Kafka: replica.fetch.max.bytes, 1 MiB: what a follower copies of one partition in one round. */
  replicaFetchBytesDefault: MIB,
  /** Kafka: replica.lag.time.max.ms, 30000. */
  replicaLagTimeMsDefault: 10_000,

  /** Kafka: the same (Topic.MAX_NAME_LENGTH), since `<topic>-<partition>` must be a file name. */
  topicNameLengthMax: 249,
  topicsMax: 10_000,
  partitionsPerTopicMax: 1_000,
  partitionsPerClusterMax: 10_000,
  /** Each has a log open in this process. */
  replicasPerClusterMax: 30_000,
  brokersMax: 16,
  /** Kafka: node.id is an i32. */
  brokerIdMax: 2 ** 31 - 1,

  /** What a coordinator reads of its partition between two rests: a few milliseconds of work. */
  coordinatorLoadBytes: 256 * KIB,
  /** Kafka: offsets.topic.num.partitions, 50. Each is a folder on every replica, and one process needs no more. */
  offsetsTopicPartitionsDefault: 4,
  /**
   * Kafka: offsets.topic.segment.bytes and transaction.state.log.segment.bytes, 100 MiB. The last segment of a partition is never
   * compacted: so much of what is out of date is read when the coordinator of a small cluster loads.
   */
  internalTopicSegmentBytes: MIB,
  /** Kafka: offsets.topic.replication.factor and transaction.state.log.replication.factor, 3. */
  internalTopicReplicationMax: 3,
  /** Kafka: offsets.retention.minutes, 7 days. */
  offsetsRetentionMsDefault: 7 * 24 * 60 * 60 * 1000,
  /** Kafka: offset.metadata.max.bytes, 4096. */
  offsetMetadataLengthMax: 4096,
  /** As many as one fetch_offsets may ask for. */
  offsetsPerGroupMax: 100_000,
  /** Groups with offsets in one partition of the internal topic. Kafka has no such bound; its coordinators share memory out. */
  groupsPerPartitionMax: 100_000,
  /** Tombstones of one batch, which must fit it whatever the names are; looked at in one turn as well. */
  offsetsForgottenAtOnce: 500,

  /** Kafka: group.consumer.max.size, without a bound by default; a group is one record, and each change writes it whole. */
  membersPerGroupMax: 1_000,
  topicsPerMemberMax: 1_000,
  /** Kafka bounds neither. */
  groupNameLengthMax: 255,
  memberNameLengthMax: 255,
  /** A group with its members, what they read and have: with its frame it must fit a batch. */
  groupRecordBytesMax: MIB,
  /** A name in a classic group, with the UUID that an id has behind it: a bit more than Kafka's wire can carry. */
  classicNameLengthMax: 33_000,
  /** Of a client's own words for why it joins or leaves (KIP-800: the same). */
  classicReasonLengthMax: 255,
  /** Kafka bounds neither the protocols of a member of a classic group nor what it says for them. */
  protocolsPerMemberMax: 100,
  /** Kafka: GroupCoordinator.NewMemberJoinTimeoutMs: for so long somebody may wait to become a member of a classic group. */
  newMemberJoinTimeoutMs: 300_000,
  /** Kafka: group.min.session.timeout.ms and group.max.session.timeout.ms, of classic groups. */
  groupMinSessionTimeoutMsDefault: 6_000,
  groupMaxSessionTimeoutMsDefault: 1_800_000,
  /** Kafka: group.initial.rebalance.delay.ms, 3 s: who starts a test waits for nobody. */
  groupInitialRebalanceDelayMsDefault: 0,
  /** Kafka: session.timeout.ms, 45 s; the system before this one had ten, and so have other clients. */
  groupSessionTimeoutMsDefault: 10_000,
  /** Kafka: group.max.session.timeout.ms, 30 minutes. */
  groupSessionTimeoutMsMax: 3_600_000,
  /** Kafka: max.poll.interval.ms, 5 minutes. */
  groupRebalanceTimeoutMsDefault: 300_000,
  groupRebalanceTimeoutMsMax: 86_400_000,

  /** Kafka: transaction.state.log.num.partitions, 50; see offsetsTopicPartitionsDefault. */
  transactionsTopicPartitionsDefault: 4,
  /** Kafka bounds it no more than a group's name; ours stands in records' keys and on the command line. */
  transactionalIdLengthMax: 255,
  /** In one partition of the internal topic. Kafka has no such bound. */
  transactionalIdsPerPartitionMax: 100_000,
  /** Each is named in each record of the transaction, which must fit a batch whatever the topics are called. */
  partitionsPerTransactionMax: 1_000,
  /** Kafka: transaction.timeout.ms, transaction.max.timeout.ms. */
  transactionTimeoutMsDefault: 60_000,
  transactionMaxTimeoutMsDefault: 900_000,
  /** Kafka: transactional.id.expiration.ms, 7 days. */
  transactionalIdExpirationMsDefault: 7 * 24 * 60 * 60 * 1000,

  /** A small file that is read whole. */
  checkpointBytesMax: 64 * MIB,
  lockFileBytesMax: 4 * KIB,
  reserveBytesMax: 64 * MIB,
} as const;

const base64Bytes = Math.ceil(LIMITS.batchBytesMax / 3) * 4;
assert(
  base64Bytes + LIMITS.frameOverheadBytesMax <= LIMITS.frameBytesMax,
  `a batch of ${LIMITS.batchBytesMax} bytes takes ${base64Bytes} in Base64 and must fit a frame of ${LIMITS.frameBytesMax}`,
);
assert(LIMITS.batchBytesMax <= LIMITS.unpackedBytesMax, "what is not compressed may be compressed");
assert(LIMITS.batchBytesMax <= LIMITS.scanChunkBytes, "a scan must be able to hold any batch");
assert(LIMITS.batchBytesMax <= LIMITS.fetchBytesMax, "a fetch must be able to return any batch");
assert(LIMITS.batchBytesMax <= LIMITS.segmentBytesMax, "a segment must be able to hold any batch");
assert(LIMITS.openFilesMin <= LIMITS.openFilesDefault, "the default number of open files must be allowed");
assert(
  LIMITS.segmentBytesMin <= LIMITS.segmentBytesManualDefault,
  "the default segment size must be allowed",
);
assert(LIMITS.segmentBytesDefault <= LIMITS.segmentBytesMax, "the default segment size must be allowed");
// "-" and up to ten digits of a partition number follow the name in a folder's name of at most 255 bytes.
assert(
  LIMITS.topicNameLengthMax + 1 + String(LIMITS.partitionsPerTopicMax - 1).length <= 255,
  "a partition's folder must be nameable",
);
assert(
  LIMITS.producersPerPartitionMax * LIMITS.producerSnapshotBytesPerProducerMax <= LIMITS.checkpointBytesMax,
  "a snapshot of all producers must be readable",
);
// A topic's name, of characters that JSON does not lengthen, its id and what stands around them.
assert(
  LIMITS.partitionsPerTransactionMax * (LIMITS.topicNameLengthMax + 128) < LIMITS.batchBytesMax,
  "a transaction with all its partitions must fit a batch",
);
