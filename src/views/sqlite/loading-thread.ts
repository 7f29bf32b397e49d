import { serveThread } from '../../kernel/threads/thread.js';
import { type Loader, type LoaderOptions, openLoader } from './loader.js';

serveThread(async (options: LoaderOptions): Promise<Loader> => openLoader(options));
