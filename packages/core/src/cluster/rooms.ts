/** The parts that a cluster is made of, put together in the order in which they need each other. */
import { BoundedDisk } from "../env/bounded-disk.ts";
import type { Env } from "../env/env.ts";
import { FaultDisk } from "../env/fault-disk.ts";
import { BehindPartitions } from "./behind-partitions.ts";
import { BrokerLife } from "./broker-life.ts";
import { Brokers } from "./brokers.ts";
import type { ResolvedConfig } from "./config.ts";
import { DataDirectory } from "./data-directory.ts";
import { refusalOf } from "./data-folder-refusal.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { LeadershipChanges } from "./leadership-changes.ts";
import { MetadataKeeper } from "./metadata-keeper.ts";
import { siteOfPath } from "./partition-folder.ts";
import { PartitionTable } from "./partition-table.ts";
import { ProducerIds } from "./producer-ids.ts";
import { ReplicationSteps } from "./replication-steps.ts";
import { deleteHidden, judgeStarted, noteStarts } from "./started-replicas.ts";
import { StateCommit } from "./state-commit.ts";
import { TopicChanges } from "./topic-changes.ts";

export interface Rooms {
  readonly directory: DataDirectory;
  readonly brokers: Brokers;
  readonly table: PartitionTable;
  readonly topics: TopicChanges;
  readonly producerIds: ProducerIds;
  readonly behind: BehindPartitions;
  readonly replication: ReplicationSteps;
  readonly leadership: LeadershipChanges;
  readonly life: BrokerLife;
  readonly reserve: DiskReserve;
}

/**
 * Holds the data folder, takes the brokers' marks, finishes what a crash left and opens every log. Rejects with
 * DataFolderRefused; then nothing is open or held.
 */
export async function openRooms(config: ResolvedConfig, world: Env): Promise<Rooms> {
  const faultDisk = new FaultDisk(world.disk, world.faults, (path) => siteOfPath(config.dataFolder, path));
  const env: Env = { ...world, disk: new BoundedDisk(faultDisk, config.openFilesMax) };
  const reserve = new DiskReserve(env.disk, config.dataFolder, config.reserveBytes);
  const directory = await reserve.spendLater(() => DataDirectory.open(config.dataFolder, env));
  let brokers: Brokers | null = null;
  try {
    directory.requireBrokers(config.brokerIds);
    directory.requireFolders(config.brokerIds, env.disk);
    brokers = new Brokers(config, directory.metadata.brokerEpochs ?? new Map(), reserve, env);
    const { producerIdsFile: file, producerIds: given } = directory;
    const { duplicateWindow } = config;
    const producerIds = new ProducerIds({ file, given, brokers, duplicateWindow }, env);
    const table = new PartitionTable({ brokers, producers: producerIds }, config, env);
    const keeper = new MetadataKeeper(directory.metadataFile, directory.metadata, brokers);
    const topics = new TopicChanges({ keeper, brokers, table, reserve }, env);
    const behind = new BehindPartitions();
    const states = new StateCommit({ keeper, behind }, env);
    topics.recover();
    const started = { brokers, states, newcomers: brokers.ids, isOpening: true, trace: env.trace };
    reserve.spend(() => judgeStarted(table.all(), started));
    noteStarts(brokers.all(), keeper, reserve);
    await deleteHidden(table.all());
    for (const { copies } of table.all())
      for (const copy of copies) if (copy.problem === null) producerIds.learn(copy.log.producers());
    reserve.fill();
    for (const set of table.all()) behind.add(set);
    const parts = { brokers, table, states, keeper, behind };
    const replication = new ReplicationSteps(parts, env);
    const leadership = new LeadershipChanges({ ...parts, steps: replication }, env);
    const life = new BrokerLife({ ...parts, reserve }, env);
    const rooms = {
      ...{ directory, brokers, table, topics, behind, replication },
      ...{ leadership, life, producerIds, reserve },
    };
    traceOpened(rooms, env);
    return rooms;
  } catch (problem) {
    brokers?.abandon();
    await directory.release();
    throw refusalOf(problem, config.dataFolder);
  }
}

function traceOpened({ directory, brokers, topics }: Rooms, env: Env): void {
  env.trace({
    kind: "cluster_opened",
    clusterId: directory.clusterId,
    brokers: brokers.ids.length,
    topics: topics.catalogue.size,
    partitions: topics.catalogue.partitionCount,
    clean: brokers.all().every(({ startedClean }) => startedClean),
  });
}
