import { binaryEvent } from '@eventstore/db-client';
import { uuidV5 } from '../../../kernel/uuid-v5.js';

/**
 * The type of the last event of a deleted stream. Names with a `$` are EventStoreDB's own, which all readers leave out.
 */
const erasureMarkType = '$StreamErased';

const markId = uuidV5('0d0b9a0e-6f0a-4a52-9a4b-6c4e5f3f1c57');

/**
 * An event without data for the end of a stream that was deleted at a revision: EventStoreDB keeps the last event of
 * such a stream for ever, so it must hold nothing. Its ID depends only on stream and revision, so that it is written
 * once.
 */
export const erasureMark = (stream: string, revision: bigint) =>
  binaryEvent({ id: markId(`${revision}@${stream}`), type: erasureMarkType, data: new Uint8Array() });

export const isErasureMark = ({ type }: { readonly type: string }): boolean => type === erasureMarkType;
