import type { LabText } from "../lab-text.ts";

export const duplicates: LabText = {
  name: "duplicates",
  title: "a duplicate, a gap, a fence",
  script: `
# A duplicate, a gap, a fence
#
# A producer that hears no answer must send again, and then the record may be there twice. An idempotent producer has an id
# and an epoch, and numbers its records from 0. Here we speak to the broker as its client library would (YQ== is "a",
# Yg== is "b").

$ minikafka-broker --data lab --clock manual
> topics create orders
> raw '{"operation":"init_producer","name":"till"}'
> raw '{"operation":"produce","topic":"orders","value_b64":"YQ==","producer_id":0,"producer_epoch":0,"base_sequence":0}'

? The answer was lost, and the client sends the same once more. What is it told?

> raw '{"operation":"produce","topic":"orders","value_b64":"YQ==","producer_id":0,"producer_epoch":0,"base_sequence":0}'
~ "duplicate":true
> fetch orders -e -f '%o %v\\n'
~ 1 record

# Where it was put the first time, and nothing was appended.

? Sequence 1 is next. What comes of 2?

> raw '{"operation":"produce","topic":"orders","value_b64":"Yg==","producer_id":0,"producer_epoch":0,"base_sequence":2}'
~ OUT_OF_ORDER_SEQUENCE

# It is refused: something would be missing between them.
#
# A second instance of the producer begins. It has the same name, and gets the same id.

> raw '{"operation":"init_producer","name":"till"}'
~ "producer_epoch":1

? The first instance was only slow, and goes on. What is it told?

> raw '{"operation":"produce","topic":"orders","value_b64":"Yg==","producer_id":0,"producer_epoch":0,"base_sequence":1}'
~ PRODUCER_FENCED

# That it is fenced: its epoch is over, on every partition, before the new one has written anything.

> raw '{"operation":"produce","topic":"orders","value_b64":"Yg==","producer_id":0,"producer_epoch":1,"base_sequence":0}'
> fetch orders -e -f '%o %v\\n'
~ 1 b
`,
};
