import { Command } from 'commander';
import { lazily } from '../lazily.js';

/** `listen`: a listener on this machine, which prints each request and whether its signature is valid. */
export function listenCommand(): Command {
  return new Command('listen')
    .description('runs a listener that prints each request, and whether its signature is valid')
    .option('--port <port>', 'the port to listen on; 0 for any free port', '4000')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option(
      '--secret <whsec>',
      'the signing secret in the answer to subscribe; without it, derived as the service does',
    )
    .option('--status <code>', 'the status to answer', '200')
    .action(lazily(async () => (await import('./listen.js')).listen));
}
