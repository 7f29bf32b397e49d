import type { Command } from 'commander';
import { keysDecider } from '../../access/keys/recorded-keys.js';
import { listKeys } from '../../admin/keys/list-keys.js';
import { keysStream } from '../../events/key-events.js';
import { load } from '../../stores/event-store/handle.js';
import { contextOf } from '../command-context.js';
import { printRows } from '../output.js';
import { keysOf } from './key-operations.js';

/** `keys list`: the keys of this machine and of the record. */
export async function list(_: object, command: Command): Promise<void> {
  const { output, dataDirectory, withStores } = contextOf(command);
  const keys = await keysOf({ dataDirectory });
  const { state } = await withStores(async (stores) => load(await stores.events(), keysStream, keysDecider));
  printRows(
    output,
    listKeys(keys, state, new Date()),
    {
      kind: ({ kind }) => kind,
      key: ({ id }) => id,
      kid: ({ id, kid }) => (kid === id ? '' : kid),
      state: (entry) => entry.state,
      from: ({ from }) => from,
    },
    'there are no keys',
  );
}
