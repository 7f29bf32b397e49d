import { printableText } from './printable-text.js';

/** IDs from other systems (organisations, users, flow events, flows) are opaque: 1 to 256 printable characters. */
export const opaqueId = printableText(256);
