import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { InvalidRequest } from '../kernel/domain-error.js';

/** A form with a file, as it arrives. */
export type Upload = { readonly headers: IncomingHttpHeaders; readonly stream: Readable };

export type UploadedFile = {
  readonly content: Readable;
  /** The fields that stand before the file in the form. */
  readonly fields: Readonly<Record<string, string>>;
};

const limits = { fields: 20, fieldSize: 1_024, files: 1, parts: 21 };

/**
 * The only file of a form (`multipart/form-data`, RFC 7578), which has to be read or destroyed. Rejects with `InvalidRequest` if there is
 * none, or the form cannot be parsed.
 */
export function uploadedFile({ headers, stream }: Upload): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new InvalidRequest('choose a file'));
    const type = headers['content-type'];
    if (type === undefined) return refuse();
    const fields: Record<string, string> = {};
    const parser = new Busboy({ headers: { ...headers, 'content-type': type }, limits });
    parser.on('field', (name, value) => {
      fields[name] = value;
    });
    parser.on('file', (_, content, fileName) => {
      if (fileName === undefined || fileName === '') content.resume();
      else resolve({ content, fields });
    });
    parser.once('finish', refuse); // it has no effect after a file
    parser.once('error', () => reject(new InvalidRequest('the form cannot be read')));
    stream.once('aborted', () => parser.destroy(new Error('the form did not arrive completely')));
    stream.pipe(parser);
  });
}
