import { Command } from 'commander';
import { lazily } from '../lazily.js';

/** `listen`: a hook on this machine, which prints what it receives and whether the signature holds. */
export function listenCommand(): Command {
  return new Command('listen')
    .description('runs a hook that prints what it receives, and whether the signature holds')
    .option('--port <port>', 'where to listen; 0 for any free port', '4000')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--secret <whsec>', 'the signing secret that subscribing gave; without it, looked up as the service does')
    .option('--status <code>', 'what to answer', '200')
    .action(lazily(async () => (await import('./listen.js')).listen));
}
