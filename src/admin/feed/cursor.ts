import { timingSafeEqual } from 'node:crypto';
import { UnknownKeyGeneration } from '../../access/errors.js';
import type { KeyDerivation } from '../../access/keys/master-keys.js';
import { InvalidRequest } from '../../kernel/domain-error.js';

/** A place in the feed of an organisation. `position`: all up to here has been read. `reported`: so have the gaps up to here. */
export type FeedPlace = { position: bigint; reported: bigint };

/** A cursor under a master key that has been retired: its place is not known any more. */
export class OutdatedCursor extends InvalidRequest {}

/** Place after a position; -1n: before the first event. No gap before it is reported. */
export const placeAt = (position: bigint): FeedPlace => ({ position, reported: position });

const macBytes = 16;
const fields = /^([A-Za-z0-9_-]{1,32})\.(-?\d{1,19})\.(-?\d{1,19})\.([A-Za-z0-9_-]{22})$/;

/** Cursors of one organisation, authenticated: reads may begin only at positions that the store has returned. */
export function feedCursors({ current, derive }: KeyDerivation, orgId: string) {
  const macOf = (generation: string, place: string): string =>
    derive(generation, 'feed-cursor', orgId, place).subarray(0, macBytes).toString('base64url');

  function isAuthentic(generation: string, place: string, mac: string): boolean {
    try {
      return timingSafeEqual(Buffer.from(macOf(generation, place)), Buffer.from(mac));
    } catch (error) {
      if (!(error instanceof UnknownKeyGeneration)) throw error;
      throw new OutdatedCursor('`after` is a cursor under a master key that has been retired');
    }
  }

  return {
    write({ position, reported }: FeedPlace): string {
      const place = `${position}.${reported}`;
      return Buffer.from(`${current}.${place}.${macOf(current, place)}`).toString('base64url');
    },

    /** Throws `InvalidRequest`, and `OutdatedCursor`. */
    read(text: string): FeedPlace {
      const bytes = Buffer.from(text, 'base64url');
      const isExact = bytes.toString('base64url') === text; // the decoder skips what is not base64url
      const [, generation = '', position = '', reported = '', mac = ''] =
        (isExact ? fields.exec(bytes.toString('latin1')) : null) ?? [];
      if (mac === '' || !isAuthentic(generation, `${position}.${reported}`, mac))
        throw new InvalidRequest('`after` is not a cursor of the events of this organisation');
      return { position: BigInt(position), reported: BigInt(reported) };
    },
  };
}
