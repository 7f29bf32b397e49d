import { restartWithBoundedMemory } from './kernel/bounded-memory.js';
import { refuseOldNode } from './kernel/node-version.js';

refuseOldNode('npm start');
restartWithBoundedMemory();
const { serve } = await import('./service/serve.js');
await serve(process.env);
