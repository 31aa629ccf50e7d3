#!/usr/bin/env node
// A committed file, so that the package manager can link the command before the first build.
import "../bundle/main.js";
