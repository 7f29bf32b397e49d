import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { InvalidRequest } from '../kernel/domain-error.js';

export type Upload = { headers: IncomingHttpHeaders; stream: Readable };

export type UploadedFile = {
  content: Readable;
  /** Fields before the file in the form. */
  fields: Readonly<Record<string, string>>;
};

const limits = { fields: 20, fieldSize: 1_024, files: 1, parts: 21 };

/**
 * The only file of a `multipart/form-data` form (RFC 7578), to be read or destroyed. Rejects with `InvalidRequest`
 * without one, or if the form cannot be parsed; reading fails with it if the form ends within the file.
 */
export function uploadedFile({ headers, stream }: Upload): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    const parser = parserOf(headers);
    const file = new PassThrough(); // the parser's own stream fails with errors of the parser, also before it is read
    const fields: Record<string, string> = {};

    /** The rest is skipped: an answer that leaves it unread would block the connection. */
    function stop(): void {
      stream.unpipe(parser);
      stream.resume();
    }

    function fail(): void {
      const refused = new InvalidRequest('the form cannot be read, or did not arrive completely');
      reject(refused);
      file.destroy(refused);
      stop();
    }

    parser.on('field', (name, value) => {
      fields[name] = value;
    });
    parser.on('file', (_, content, fileName) => {
      content.on('error', fail);
      if (fileName === undefined || fileName === '') content.resume();
      else {
        content.pipe(file);
        resolve({ content: file, fields });
      }
    });
    parser.once('finish', () => reject(new InvalidRequest('choose a file'))); // it has no effect after a file
    parser.on('error', fail);
    file.on('error', () => undefined); // its reader may begin later
    file.once('close', stop);
    stream.once('close', () => {
      if (!stream.readableEnded) fail();
    });
    stream.pipe(parser);
  });
}

/** Throws `InvalidRequest` for a type that is no `multipart/form-data` with a boundary. */
function parserOf(headers: IncomingHttpHeaders): InstanceType<typeof Busboy> {
  try {
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits });
  } catch {
    throw new InvalidRequest('send the file in a form with Content-Type: multipart/form-data');
  }
}
