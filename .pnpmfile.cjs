/**
 * What pnpm is told of packages whose manifests ask for more than they need.
 *
 * `@platformatic/kafka` 1.35 supports Node 20.19, and so do we; two of its own parts say 22.19 and run on 20 all the same, which the
 * tests that use them prove. Only tests do.
 */
const NEED_NO_NODE_22 = ["@platformatic/dynamic-buffer", "@platformatic/wasm-utils"];

function readPackage(manifest) {
  if (NEED_NO_NODE_22.includes(manifest.name)) manifest.engines = {};
  return manifest;
}

module.exports = { hooks: { readPackage } };
