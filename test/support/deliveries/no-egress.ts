import { onConnect } from './on-connect.js';

// Loaded into an instance before anything else (`--import`): its connections to the port NO_EGRESS_PORT fail as on a machine without a
// network.

onConnect(Number(process.env.NO_EGRESS_PORT), (socket) => {
  setImmediate(() => socket.destroy(Object.assign(new Error('connect ENETUNREACH'), { code: 'ENETUNREACH' })));
});
