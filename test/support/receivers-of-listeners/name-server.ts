import { createSocket } from 'node:dgram';
import ipaddr from 'ipaddr.js';

/** Addresses; none where the name has others only. `silence`: is never answered. `failure`: the server could not find out. */
type Answer = readonly string[] | 'silence' | 'failure';
export type Zone = Readonly<Record<string, { A: Answer; AAAA: Answer }>>;

export type NameServer = {
  /** Address as `Resolver.setServers` takes it. */
  address: string;
  /** The names that it has been asked for, as often as it was. */
  asked: string[];
  close: () => Promise<void>;
};

type Type = 'A' | 'AAAA';
const types: ReadonlyMap<number, Type> = new Map([
  [1, 'A'],
  [28, 'AAAA'],
]);
const codes = { success: 0, failure: 2, noSuchName: 3 };

/** A DNS server (RFC 1035 §4) on loopback, over UDP: of what is not in the zone it says that there is no such name. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { address, port }) => {
    const { name, type, end } = questionOf(query);
    asked.push(name);
    const answer = type && zone[name]?.[type];
    if (answer !== 'silence') socket.send(answerTo(query.subarray(0, end), answer), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function questionOf(query: Buffer): { name: string; type: Type | undefined; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: types.get(query.readUInt16BE(at + 1)), end: at + 5 };
}

function answerTo(question: Buffer, answer: Exclude<Answer, 'silence'> | undefined): Buffer {
  const addresses = Array.isArray(answer) ? answer : [];
  const code = answer === undefined ? codes.noSuchName : answer === 'failure' ? codes.failure : codes.success;
  const header = Buffer.from(question);
  header.writeUInt16BE(0x8180 | code, 2); // an answer, of a server that asks others
  header.writeUInt16BE(addresses.length, 6);
  return Buffer.concat([header, ...addresses.map((address) => recordOf(address, question.subarray(-4)))]);
}

function recordOf(address: string, typeAndClass: Buffer): Buffer {
  const bytes = ipaddr.parse(address).toByteArray();
  const name = [0xc0, 12]; // the one in the question
  return Buffer.from([...name, ...typeAndClass, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
}
