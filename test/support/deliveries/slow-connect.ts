import { onConnect } from './on-connect.js';

// Loaded into an instance before anything else (`--import`): its connections to the port SLOW_CONNECT_PORT take as long as
// those to a far listener may, so that posts go to their sockets when their permits are about to run out.

const longestMs = 250;

onConnect(Number(process.env.SLOW_CONNECT_PORT), (_, connect) => {
  setTimeout(connect, Math.random() * longestMs);
});
