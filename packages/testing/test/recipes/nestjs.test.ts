/**
 * Recipe: a NestJS microservice, and a program that asks it, both by Nest's Kafka transport (kafkajs is under it). Its decorators want
 * `"experimentalDecorators": true` in `tsconfig.json`, as every project of Nest's has it.
 */
import { brokerTest } from "@minikafka/testing/vitest";
import { Controller, Inject, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import {
  ClientKafka,
  ClientsModule,
  EventPattern,
  type KafkaOptions,
  MessagePattern,
  Transport,
} from "@nestjs/microservices";
import { logLevel } from "kafkajs";
import { firstValueFrom } from "rxjs";
import { expect } from "vitest";
import { held, settled } from "../support/held.ts";

// The application: for each order it writes a payment, and it says what an order costs.

interface Order {
  readonly customer: string;
  readonly pieces: number;
}

/** What listens is the group `billing-server`, what waits for replies is `shop-client`: Nest adds these ends. */
function options(groupId: string, brokers: string[]) {
  const client = { clientId: groupId, brokers, logLevel: logLevel.NOTHING };
  return { client, consumer: { groupId, maxWaitTimeInMs: 50 }, subscribe: { fromBeginning: true } };
}

@Controller()
class Billing {
  @Inject("PAYMENTS") private readonly payments!: ClientKafka;

  /** An order counts as read once its payment is acknowledged: Nest waits for what a handler returns. */
  @EventPattern("orders")
  pay({ customer, pieces }: Order) {
    return this.payments.emit("payments", { key: customer, value: { paid: pieces * 5 } });
  }

  @MessagePattern("prices")
  price({ pieces }: Order) {
    return { price: pieces * 5 };
  }
}

async function startBilling(brokers: string[]) {
  const payments = { ...options("billing", brokers), producerOnlyMode: true };

  @Module({
    imports: [ClientsModule.register([{ name: "PAYMENTS", transport: Transport.KAFKA, options: payments }])],
    controllers: [Billing],
  })
  class BillingModule {}

  const app = await NestFactory.createMicroservice<KafkaOptions>(BillingModule, {
    transport: Transport.KAFKA,
    options: options("billing", brokers),
    logger: false,
  });
  await app.listen();
  return app;
}

// Its test.

const test = brokerTest({ waitTimeoutMs: 30_000, topics: { orders: 3, payments: 1, prices: 1 } });

test("an order that is emitted is paid", async ({ broker }) => {
  const app = await startBilling(broker.bootstrapBrokers);
  const shop = new ClientKafka({ ...options("shop", broker.bootstrapBrokers), producerOnlyMode: true });
  await firstValueFrom(shop.emit("orders", { key: "alice", value: { customer: "alice", pieces: 3 } }));
  const [payment] = await broker.waitForRecords("payments", 1);
  expect(payment).toMatchObject({ key: "alice", value: '{"paid":15}' });
  await shop.close();
  await app.close();
  await broker.waitForGroup("billing-server", { state: "empty", drained: true });
});

test("a request has its reply; no socket and no timer is left after the end", async ({ broker }) => {
  const before = await held();
  const app = await startBilling(broker.bootstrapBrokers);
  const shop = new ClientKafka(options("shop", broker.bootstrapBrokers));
  shop.subscribeToResponseOf("prices");
  await shop.connect();
  const reply = await firstValueFrom(shop.send("prices", { customer: "bob", pieces: 4 }));
  expect(reply).toEqual({ price: 20 });
  expect(broker.records("prices.reply")).toMatchObject([{ value: '{"price":20}' }]);
  await shop.close();
  await app.close();
  expect(await settled(before)).toEqual(before);
});
