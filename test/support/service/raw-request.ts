import { request } from 'node:http';

export type Answer = {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed where the answer is JSON, else its text. */
  body: unknown;
};

/** A request to this machine whose headers are sent just as given: repeated, in this order and this spelling. */
export function rawRequest(
  port: number,
  path: string,
  headers: readonly (readonly [string, string])[] = [],
  { method = 'GET', body = '' }: { method?: string; body?: string | Buffer } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const host = headers.some(([name]) => name.toLowerCase() === 'host') ? [] : ['Host', `127.0.0.1:${port}`];
    const length = body.length > 0 ? ['Content-Length', String(Buffer.byteLength(body))] : [];
    const sent = request({ port, path, method, agent: false, headers: [...host, ...length, ...headers.flat()] });
    sent.once('error', reject);
    sent.once('response', async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      const isJson = response.headers['content-type']?.includes('json') === true;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: isJson ? JSON.parse(text) : text });
    });
    sent.end(body);
  });
}
