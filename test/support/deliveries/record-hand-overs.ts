import { subscribe } from 'node:diagnostics_channel';
import { openSync, writeSync } from 'node:fs';

// Loaded into an instance before anything else (`--import`): writes a line for each request of undici, in the tick in which
// it goes to the socket, with the machine's monotonic clock in nanoseconds. The line is out before the request is.

const file = process.env.HAND_OVERS;
if (file !== undefined) {
  const descriptor = openSync(file, 'a');
  subscribe('undici:client:sendHeaders', (message) => {
    const { request } = message as { request: { origin: string; path: string } };
    writeSync(descriptor, `${process.hrtime.bigint()} ${request.origin}${request.path}\n`);
  });
}
