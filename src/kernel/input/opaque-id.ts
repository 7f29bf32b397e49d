import { printableText } from './printable-text.js';

/** IDs from other systems: organisations, users, flow events, flows. */
export const opaqueId = printableText(256);
