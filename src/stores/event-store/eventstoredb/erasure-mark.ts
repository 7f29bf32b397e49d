import { binaryEvent } from '@eventstore/db-client';
import { uuidV5 } from '../../../kernel/uuid-v5.js';

/**
 * The type of the event that a deleted stream ends with. A name with a `$` is EventStoreDB's own, which readers leave out,
 * those of releases before this one among them.
 */
const erasureMarkType = '$StreamErased';

const markId = uuidV5('0d0b9a0e-6f0a-4a52-9a4b-6c4e5f3f1c57');

/**
 * An event without data for the end of a stream that was deleted at a revision: of such a stream EventStoreDB keeps the last
 * event for ever, so it has to be one that says nothing. For the same revision it is the same event, so that it is written once.
 */
export const erasureMark = (stream: string, revision: bigint) =>
  binaryEvent({ id: markId(`${revision}@${stream}`), type: erasureMarkType, data: new Uint8Array() });

export const isErasureMark = ({ type }: { readonly type: string }): boolean => type === erasureMarkType;
