import { startDoubleProcess } from '../../test/support/eventstoredb/double-process.js';

export type EventStoreDbServer = {
  readonly url: string;
  /** What a figure was taken on. */
  readonly name: string;
  /** Of its process, where it is ours. */
  readonly pid: number | undefined;
  readonly stop: () => Promise<void>;
};

/** The server that EVENTSTOREDB_URL names, else the double in a process of its own. */
export async function startEventStoreDb(): Promise<EventStoreDbServer> {
  const given = process.env.EVENTSTOREDB_URL;
  if (given) {
    return { url: given, name: 'EventStoreDB at EVENTSTOREDB_URL', pid: undefined, stop: async () => {} };
  }
  const { url, pid, kill } = await startDoubleProcess();
  return {
    url,
    pid,
    name: 'the double of EventStoreDB in its own process, a stand-in',
    stop: async () => void (await kill('SIGTERM')),
  };
}
