import { serveThread } from '../../../kernel/threads/serve-thread.js';
import { type Loader, type LoaderOptions, openLoader } from './loader.js';

serveThread(async (options: LoaderOptions): Promise<Loader> => openLoader(options));
