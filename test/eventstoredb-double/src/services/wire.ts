import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { ExpectedRevision } from '../store/expected-revision.js';
import { invalidArgument } from './call-failure.js';

/** A UUID comes as a string or as two 64-bit halves. */
export function readUuid(uuid: shared.UUID | undefined): string {
  const halves = uuid?.getStructured();
  if (!halves) return uuid?.getString().toLowerCase() ?? '';
  const hex = [halves.getMostSignificantBits(), halves.getLeastSignificantBits()]
    .map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0'))
    .join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function writeUuid(id: string, isStructured = false): shared.UUID {
  const uuid = new shared.UUID();
  if (!isStructured) return uuid.setString(id);
  const hex = id.replaceAll('-', '');
  const half = (digits: string) => String(BigInt.asIntN(64, BigInt(`0x${digits}`)));
  return uuid.setStructured(
    new shared.UUID.Structured()
      .setMostSignificantBits(half(hex.slice(0, 16)))
      .setLeastSignificantBits(half(hex.slice(16))),
  );
}

export function readStreamName(identifier: shared.StreamIdentifier | undefined): string {
  const name = Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');
  if (name === '') throw invalidArgument('A stream name is required.');
  return name;
}

export const writeStreamName = (name: string) => new shared.StreamIdentifier().setStreamName(Buffer.from(name));

export const empty = () => new shared.Empty();

/** The options in which append, delete and tombstone name their expectation. */
interface ExpectationOptions {
  hasAny(): boolean;
  hasNoStream(): boolean;
  hasStreamExists(): boolean;
}

/** `revision` is the text of the revision, where one is expected. */
export function readExpectedRevision(options: ExpectationOptions, revision: string | undefined): ExpectedRevision {
  if (revision !== undefined) return BigInt(revision);
  if (options.hasAny()) return 'any';
  if (options.hasNoStream()) return 'no-stream';
  if (options.hasStreamExists()) return 'stream-exists';
  throw invalidArgument('An expected revision is required.');
}
