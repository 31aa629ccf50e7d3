/** The last step of whoever writes a frame. */
import { crc32 } from "node:zlib";
import { FRAME_PREFIX_BYTES, POSITION } from "./batch-header.ts";

/** Puts the CRC of the payload into its place. */
export function sealFrame(frame: Buffer): void {
  frame.writeUInt32BE(crc32(frame.subarray(FRAME_PREFIX_BYTES)), POSITION.crc);
}
