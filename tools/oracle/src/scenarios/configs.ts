/** DescribeConfigs, AlterConfigs, IncrementalAlterConfigs. */
import type { World } from "../world.ts";
import type { Scenario } from "./scenario.ts";

const TOPIC = 2;
const BROKER = 4;
const BROKER_LOGGER = 8;
const [SET, DELETE, APPEND, SUBTRACT] = [0, 1, 2, 3];

const CHOSEN = ["retention.ms", "cleanup.policy", "max.message.bytes"];

type Setting = readonly [name: string, value: string | null, operation?: number];

async function description(world: World): Promise<void> {
  const { name } = await world.makeTopic("described", 1, { "retention.ms": "777000" });
  const ask = (step: string, resources: readonly (readonly [number, string, string[] | null])[], more = {}) =>
    world.ask(step, "DescribeConfigs", {
      resources: resources.map(([resourceType, resourceName, configurationKeys]) => ({
        ...{ resourceType, resourceName, configurationKeys },
      })),
      ...more,
    });
  await ask("all of a topic", [[TOPIC, name, null]]);
  await ask("some of a topic", [[TOPIC, name, CHOSEN]]);
  await ask("some with synonyms", [[TOPIC, name, CHOSEN]], { includeSynonyms: true });
  await ask("some with documentation", [[TOPIC, name, CHOSEN]], { includeDocumentation: true });
  await ask("one that is no setting", [[TOPIC, name, ["no.such.setting"]]]);
  await ask("none", [[TOPIC, name, []]]);
  await ask("a topic that is not there", [[TOPIC, world.name("nobody"), null]]);
  await ask("a bad name", [[TOPIC, "a b", null]]);
  await ask("a topic without a name", [[TOPIC, "", null]]);
  await ask("a topic twice", [
    [TOPIC, name, ["retention.ms"]],
    [TOPIC, name, ["cleanup.policy"]],
  ]);
  await ask("some of a broker", [[BROKER, "1", ["log.retention.ms", "num.partitions", "message.max.bytes"]]]);
  await ask("a broker that is another", [[BROKER, "7", null]]);
  await ask("a broker that is no number", [[BROKER, "one", null]]);
  await ask("all brokers", [[BROKER, "", ["num.partitions"]]]);
  await ask("loggers", [[BROKER_LOGGER, "1", ["nobody"]]]);
  await ask("a kind that nobody knows", [[99, "1", null]]);
  await ask("nothing", []);
}

/** Changes the settings of a topic one by one, and looks at them. */
function alterer(world: World, name: string) {
  const alter = (step: string, settings: readonly Setting[], more = {}, resourceName = name, kind = TOPIC) =>
    world.ask(step, "IncrementalAlterConfigs", {
      resources: [
        {
          ...{ resourceType: kind, resourceName },
          configs: settings.map(([each, value, configOperation = SET]) => ({
            name: each,
            value,
            configOperation,
          })),
        },
      ],
      ...more,
    });
  const look = async (step: string) => {
    await world.settle();
    await world.ask(step, "DescribeConfigs", {
      resources: [{ resourceType: TOPIC, resourceName: name, configurationKeys: CHOSEN }],
    });
  };
  return { alter, look };
}

async function changes(world: World): Promise<void> {
  const { name } = await world.makeTopic("changed");
  const { alter, look } = alterer(world, name);
  await alter("a try", [["retention.ms", "5000"]], { validateOnly: true });
  await alter("a try of what is wrong", [["retention.ms", "soon"]], { validateOnly: true });
  await look("after the tries");
  await alter("two settings", [
    ["retention.ms", "5000"],
    ["max.message.bytes", "9000"],
  ]);
  await look("after two settings");
  await alter("one good and one bad", [
    ["retention.ms", "6000"],
    ["max.message.bytes", "-1"],
  ]);
  await look("after one good and one bad");
  await alter("back to the default", [["retention.ms", null, DELETE]]);
  await alter("back to the default, with a value", [["retention.ms", "5", DELETE]]);
  await alter("back to what it is", [["retention.ms", null, DELETE]]);
  await look("after going back");
  await alter("one more policy", [["cleanup.policy", "compact", APPEND]]);
  await look("after one more policy");
  await alter("the same policy once more", [["cleanup.policy", "compact", APPEND]]);
  await alter("a policy less", [["cleanup.policy", "delete", SUBTRACT]]);
  await look("after a policy less");
  await alter("a policy less that is not there", [["cleanup.policy", "delete", SUBTRACT]]);
  await alter("the last policy less", [["cleanup.policy", "compact", SUBTRACT]]);
  await look("after the last policy less");
  await refusals(world, name);
  await look("at the end");
}

async function refusals(world: World, name: string): Promise<void> {
  const { alter } = alterer(world, name);
  await alter("appended to what is no list", [["retention.ms", "5", APPEND]]);
  await alter("an operation that nobody knows", [["retention.ms", "5", 9]]);
  await alter("a value of null", [["retention.ms", null]]);
  await alter("an empty value", [["retention.ms", ""]]);
  await alter("a value that is no number", [["retention.ms", "soon"]]);
  await alter("a value out of its bounds", [["retention.ms", "-5"]]);
  await alter("what is no setting", [["no.such.setting", "5"]]);
  await alter("a setting without a name", [["", "5"]]);
  await alter("a setting twice", [
    ["retention.ms", "5"],
    ["retention.ms", "6"],
  ]);
  await alter("no setting", []);
  await alter("a topic that is not there", [["retention.ms", "5"]], {}, world.name("nobody"));
  await alter("a topic without a name", [["retention.ms", "5"]], {}, "");
  await alter("a bad name", [["retention.ms", "5"]], {}, "a b");
  await alter("the internal topic", [["retention.ms", "5"]], {}, "__consumer_offsets_of_nobody");
  await alter("a broker that is another", [["num.partitions", "5"]], {}, "7", BROKER);
  await alter("a broker that is no number", [["num.partitions", "5"]], {}, "one", BROKER);
  await alter("a kind that nobody knows", [["retention.ms", "5"]], {}, name, 99);
  const twice = { resourceType: TOPIC, resourceName: name };
  const configs = [{ name: "retention.ms", value: "5000", configOperation: SET }];
  await world.ask("a topic twice", "IncrementalAlterConfigs", {
    resources: [
      { ...twice, configs },
      { ...twice, configs },
    ],
  });
  await world.ask("nothing", "IncrementalAlterConfigs", { resources: [] });
}

async function replacement(world: World): Promise<void> {
  const { name } = await world.makeTopic("replaced", 1, { "retention.ms": "777000" });
  const alter = (step: string, settings: readonly Setting[], more = {}, resourceName = name, kind = TOPIC) =>
    world.ask(step, "AlterConfigs", {
      resources: [
        {
          ...{ resourceType: kind, resourceName },
          configs: settings.map(([each, value]) => ({ name: each, value })),
        },
      ],
      ...more,
    });
  const look = async (step: string) => {
    await world.settle();
    await world.ask(step, "DescribeConfigs", {
      resources: [{ resourceType: TOPIC, resourceName: name, configurationKeys: CHOSEN }],
    });
  };
  await alter("a try", [["max.message.bytes", "5000"]], { validateOnly: true });
  await look("after the try");
  await alter("another setting", [["max.message.bytes", "5000"]]);
  await look("after another setting");
  await alter("one good and one bad", [
    ["retention.ms", "6000"],
    ["max.message.bytes", "-1"],
  ]);
  await look("after one good and one bad");
  await alter("what is no setting", [["no.such.setting", "5"]]);
  await alter("a value of null", [["retention.ms", null]]);
  await alter("a setting twice", [
    ["retention.ms", "5"],
    ["retention.ms", "6"],
  ]);
  await alter("none", []);
  await look("after none");
  await alter("a topic that is not there", [["retention.ms", "5"]], {}, world.name("nobody"));
  await alter("a kind that nobody knows", [["retention.ms", "5"]], {}, name, 99);
  await world.ask("nothing", "AlterConfigs", { resources: [] });
}

export const CONFIGS: readonly Scenario[] = [
  { name: "describe configs", run: description },
  { name: "alter configs", run: changes },
  { name: "replace configs", run: replacement },
];
