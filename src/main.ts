import { refuseOldNode } from './kernel/node-version.js';

refuseOldNode('npm start');
const { serve } = await import('./service/serve.js');
await serve(process.env);
