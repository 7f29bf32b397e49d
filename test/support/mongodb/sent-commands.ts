import type { CommandStartedEvent, Document, MongoClient } from 'mongodb';

/** The commands that a client with `monitorCommands` sends during the work. */
export async function sentBy(client: MongoClient, work: () => Promise<unknown>): Promise<readonly Document[]> {
  const sent: Document[] = [];
  const note = ({ command }: CommandStartedEvent) => sent.push(command);
  client.on('commandStarted', note);
  await work();
  client.off('commandStarted', note);
  return sent;
}

/** `find queue.listeners` */
export const nameOf = (command: Document): string => Object.entries(command)[0]?.join(' ') ?? '';
