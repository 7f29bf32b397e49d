/** A stream of server-sent events, as a browser reads it. */
export type OpenStream = {
  status: number;
  /** The data of the next message; undefined at the end of the stream. */
  next: () => Promise<unknown>;
  /** Closes the connection. */
  close: () => void;
};

export async function openStream(url: string, headers: Readonly<Record<string, string>> = {}): Promise<OpenStream> {
  const closing = new AbortController();
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: closing.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let unread = '';

  async function next(): Promise<unknown> {
    for (;;) {
      const end = unread.indexOf('\n\n');
      if (end !== -1) {
        const message = unread.slice(0, end);
        unread = unread.slice(end + 2);
        if (message.startsWith('data: ')) return JSON.parse(message.slice('data: '.length));
        continue;
      }
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) return undefined;
      unread += value;
    }
  }

  return { status: response.status, next, close: () => closing.abort() };
}
