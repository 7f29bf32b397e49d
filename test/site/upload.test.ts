import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { InvalidRequest } from '../../src/kernel/domain-error.js';
import { type Upload, uploadedFile } from '../../src/site/upload.js';
import { rejection } from '../support/rejection.js';

const form = 'multipart/form-data; boundary=B';
const part = (disposition: string, text: string) =>
  `--B\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n${text}`;

/** A form that arrives in these pieces, and then ends. */
const sent = (pieces: readonly string[], contentType = form): Upload => ({
  headers: { 'content-type': contentType },
  stream: Readable.from(pieces.map((piece) => Buffer.from(piece))),
});

/** An error without a listener would end the process, and so this run: it comes some ticks later. */
const settled = () => pause(20);

describe('a file in a form', () => {
  it('arrives with the fields before it', async () => {
    const thumbprint = '--B\r\nContent-Disposition: form-data; name="thumbprint"\r\n\r\nabc\r\n';
    const file = part('name="seal"; filename="a.seal"', 'the seal\r\n--B--\r\n');
    const { content, fields } = await uploadedFile(sent([thumbprint, file]));
    expect(fields).to.deep.equal({ thumbprint: 'abc' });
    expect((await buffer(content)).toString()).to.equal('the seal');
  });

  for (const [name, upload] of [
    ['without a boundary', () => sent(['x'], 'multipart/form-data')],
    ['of another kind', () => sent(['x'], 'multipart/mixed; boundary=B')],
    ['without a file', () => sent(['--B--\r\n'])],
    ['that ends within the part of a file without a name', () => sent([part('name="seal"; filename=""', 'abc')])],
    ['that ends within a part without a disposition', () => sent(['--B\r\nX: y\r\n\r\nabc'])],
    ['that ends within a header', () => sent(['--B\r\nContent-Dispos'])],
  ] as const) {
    it(`is refused in a form ${name}, and the service goes on`, async () => {
      expect(await rejection(uploadedFile(upload()))).to.be.instanceOf(InvalidRequest);
      await settled();
    });
  }

  it('is not taken for a whole one if the form ends within it', async () => {
    const { content } = await uploadedFile(sent([part('name="seal"; filename="a.seal"', 'the se')]));
    await settled(); // its reader may begin later than the error comes
    expect(await rejection(buffer(content))).to.be.instanceOf(InvalidRequest);
  });

  it('is not waited for if the connection is closed within it', async () => {
    const stream = new Readable({ read: () => undefined });
    stream.push(part('name="seal"; filename="a.seal"', 'the se'));
    const { content } = await uploadedFile({ headers: { 'content-type': form }, stream });
    stream.destroy();
    expect(await rejection(buffer(content))).to.be.instanceOf(InvalidRequest);
  });

  it('that is not read leaves the rest of the form to be skipped, so that the connection can be used again', async () => {
    const file = part('name="seal"; filename="a.seal"', 'x'.repeat(200_000));
    const { headers, stream } = sent([file, ...Array<string>(20).fill('x'.repeat(100_000)), '\r\n--B--\r\n']);
    const { content } = await uploadedFile({ headers, stream });
    content.destroy();
    await new Promise((resolve) => stream.once('end', resolve));
  });
});
