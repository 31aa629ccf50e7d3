#!/usr/bin/env node
// A committed file, so that the package manager can link the command before the first build.
const { enableCompileCache } = require("node:module");

// From Node 22.1 on a start finds what the last one has compiled.
enableCompileCache?.();
require("../bundle/main.cjs");
