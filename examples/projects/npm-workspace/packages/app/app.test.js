const assert = require("node:assert");
const { test } = require("node:test");
const { greet } = require("greeting");

test("a greeting names whom it is for", () => assert.equal(greet("world"), "hello, world"));
