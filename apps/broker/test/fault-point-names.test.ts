/** The protocol's names of fault points beside the kernel's own list. */
import type { FaultPoint } from "@minikafka/core";
import type { KernelFaultPointName } from "@minikafka/protocol";
import { expectTypeOf, test } from "vitest";

test("who arms a fault by type is offered every point that the kernel has, and no other", () => {
  expectTypeOf<Exclude<FaultPoint, KernelFaultPointName>>().toBeNever();
  expectTypeOf<Exclude<KernelFaultPointName, FaultPoint>>().toBeNever();
});
