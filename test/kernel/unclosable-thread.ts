import { serveThread } from '../../src/kernel/threads/thread.js';

export type Unclosable = { close: () => Promise<void> };

serveThread(async (): Promise<Unclosable> => ({ close: () => Promise.reject(new Error('it is not closed')) }));
