import { LRUCache } from 'lru-cache';

export type ListenerAddress = {
  origin: string;
  /** Host without a port. */
  host: string;
  port: number;
  /** `https` or `http`. */
  scheme: string;
  path: string;
  /** Pieces of path and query that would reveal the hook URL, the longest first, in all their spellings. */
  secretPieces: () => readonly string[];
};

const maxRemembered = 10_000;
const remembered = new LRUCache<string, ListenerAddress>({ max: maxRemembered });

/** `URL` leaves them out. */
const defaultPorts: Readonly<Record<string, number>> = { https: 443, http: 80 };

/** Cached: several parts need it for each delivery. */
export function addressOf(hookUrl: string): ListenerAddress {
  const known = remembered.get(hookUrl);
  if (known) return known;
  const { origin, protocol, hostname, port, pathname, search } = new URL(hookUrl);
  const path = pathname + search;
  let pieces: readonly string[] | undefined; // many listeners never answer with any text
  const scheme = protocol.slice(0, -1);
  const address = {
    origin,
    host: hostname,
    port: port === '' ? (defaultPorts[scheme] ?? 0) : Number(port),
    scheme,
    path,
    secretPieces: () => (pieces ??= secretPiecesOf(pathname, search)),
  };
  remembered.set(hookUrl, address);
  return address;
}

/** Shorter ones are found in any text. */
const shortest = { whole: 5, piece: 8 };

function secretPiecesOf(pathname: string, search: string): readonly string[] {
  const query = search.slice(1);
  const whole = [pathname + search, pathname, query].filter(({ length }) => length >= shortest.whole);
  const pieces = `${pathname}/${query}`.split(/[/&=]/).filter(({ length }) => length >= shortest.piece);
  const texts = [...whole, ...pieces].flatMap((piece) => [piece, decoded(piece)]);
  return [...new Set(texts.flatMap(spellings))].toSorted((one, other) => other.length - one.length);
}

/** Spellings of a text: as it is, in JSON as several languages write it, in HTML, and within the query of another URL. */
const spellings = (piece: string): readonly string[] => [
  piece,
  piece.replaceAll('/', '\\/'),
  piece.replaceAll('&', '\\u0026'),
  piece.replaceAll('&', '&amp;'),
  encodeURIComponent(piece),
];

function decoded(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece; // a lone % is nothing encoded
  }
}

/**
 * Removes the hook URL and its pieces from an answer: many servers repeat an unknown path. `text` may be cut off within
 * it.
 */
export function withoutHookUrl(text: string, hookUrl: string): string {
  const pieces = addressOf(hookUrl).secretPieces();
  const shown = pieces.reduce((rest, piece) => rest.replaceAll(piece, '…'), text);
  const cutOff = Math.max(0, ...pieces.map((piece) => endingWith(shown, piece)));
  return cutOff === 0 ? shown : `${shown.slice(0, -cutOff)}…`;
}

/** The length of the beginning of `piece` with which the text ends; 0 if that is too short to identify anything. */
function endingWith(text: string, piece: string): number {
  const last = text.at(-1);
  for (let length = piece.length - 1; length >= shortest.whole; length -= 1) {
    if (piece[length - 1] === last && text.endsWith(piece.slice(0, length))) return length;
  }
  return 0;
}
