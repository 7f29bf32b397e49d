import { listSetAsideRoute, retrySetAsideRoute } from '../../admin/api/contracts/set-aside.js';
import { maxPosition, parsePosition } from '../../kernel/input/parse-input.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { printRows } from '../output.js';

export async function setAside(_: object, { output, allOf }: CommandContext): Promise<void> {
  printRows(
    output,
    await allOf(listSetAsideRoute),
    { stream: 'stream', revision: 'revision', type: 'type', reason: 'reason' },
    'nothing is set aside',
  );
}

type RetryOptions = { stream?: string; revision?: string };

export async function retrySetAside(options: RetryOptions, { output, allOf }: CommandContext): Promise<void> {
  const { stream, revision } = options;
  if ((stream === undefined) !== (revision === undefined)) throw new UsageError('--stream and --revision go together');
  if (revision !== undefined && parsePosition(revision) === undefined)
    throw new UsageError(`--revision must be a whole number from 0 to ${maxPosition}`);
  printRows(
    output,
    await allOf(retrySetAsideRoute, { ...options, limit: 100 }),
    { stream: 'stream', revision: 'revision', outcome: 'outcome', deliveries: 'deliveries', reason: 'reason' },
    'nothing is set aside',
  );
}
