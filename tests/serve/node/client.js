// Runs what the test says on standard input, a list of {pipeline, commands}, and prints every reply as JSON.
"use strict";

const Redis = require("ioredis");

async function run() {
  const { options, batches } = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const client = new Redis({ lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0, ...options });
  client.on("error", () => {});  // told by connect()
  const replies = [];
  try {
    await client.connect();
    for (const { pipeline, commands } of batches) {
      if (pipeline) {
        const results = await client.pipeline(commands.map((words) => ["call", ...words])).exec();
        replies.push(...results.map(([error, reply]) => (error ? { error: error.message } : reply)));
        continue;
      }
      for (const words of commands) {
        replies.push(await client.call(...words).catch((error) => ({ error: error.message })));
      }
    }
  } catch (error) {
    replies.push({ error: error.message });
  }
  client.disconnect();
  process.stdout.write(JSON.stringify(replies));
}

run();
