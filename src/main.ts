import { refuseOldNode } from './node-version.js';

refuseOldNode('npm start');
const { serve } = await import('./serve.js');
await serve(process.env);
