import { binaryEvent } from '@eventstore/db-client';
import { uuidV5 } from '../../../kernel/uuid-v5.js';

/** All readers leave out names with `$`, which are EventStoreDB's own. */
const erasureMarkType = '$StreamErased';

const markId = uuidV5('0d0b9a0e-6f0a-4a52-9a4b-6c4e5f3f1c57');

/**
 * EventStoreDB keeps the last event of a deleted stream for ever, so this one holds no data. Its ID depends only on
 * stream and revision, so that it is written once.
 */
export const erasureMark = (stream: string, revision: bigint) =>
  binaryEvent({ id: markId(`${revision}@${stream}`), type: erasureMarkType, data: new Uint8Array() });

export const isErasureMark = ({ type }: { readonly type: string }): boolean => type === erasureMarkType;
