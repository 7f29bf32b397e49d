import type { Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

/**
 * Messages of MongoDB's wire protocol: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/. Only the
 * first hello of a driver may use an older message format.
 */
const opCodes = { reply: 1, query: 2004, message: 2013 } as const;
const headerBytes = 16;

/** Calls `take` with each incoming message, in order. */
export function onMessages(socket: Socket, take: (message: Buffer) => void): void {
  let pending: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= headerBytes && pending.length >= pending.readInt32LE(0)) {
      const length = pending.readInt32LE(0);
      take(pending.subarray(0, length));
      pending = pending.subarray(length);
    }
  });
}

/** The offset of the command or the answer; documents to insert or updates may follow it. */
function documentAt(message: Buffer): number {
  const opCode = message.readInt32LE(12);
  if (opCode === opCodes.message) return headerBytes + 4 + 1; // the flags, and the kind of the first section
  if (opCode === opCodes.reply) return headerBytes + 20;
  if (opCode === opCodes.query) return message.indexOf(0, headerBytes + 4) + 1 + 8;
  throw new Error(`a message of another kind: ${opCode}`);
}

/** The command or the answer in a message. Numbers keep their BSON types, so that it can be serialised again. */
export function documentOf(message: Buffer): Document {
  const at = documentAt(message);
  return BSON.deserialize(message.subarray(at, at + message.readInt32LE(at)), { promoteValues: false });
}

/** The same message with another document in it. */
export function withDocument(message: Buffer, document: Document): Buffer {
  const at = documentAt(message);
  const after = message.subarray(at + message.readInt32LE(at));
  const changed = Buffer.concat([message.subarray(0, at), BSON.serialize(document), after]);
  changed.writeInt32LE(changed.length, 0);
  return changed;
}

/** An answer to a command in the current message format. */
export function answerTo(request: Buffer, document: Document): Buffer {
  const header = Buffer.alloc(headerBytes + 5);
  header.writeInt32LE(request.readInt32LE(4), 8);
  header.writeInt32LE(opCodes.message, 12);
  const answer = Buffer.concat([header, BSON.serialize(document)]);
  answer.writeInt32LE(answer.length, 0);
  return answer;
}
