import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { AnswerReader } from '../../../src/deliveries/posting/answer-reader.js';

describe('reading answers from a connection', () => {
  it('loses nothing where the connection itself asks for more to come', () => {
    const socket = new PassThrough() as unknown as Socket; // as far as reading goes
    new AnswerReader(socket).expect();
    socket.write('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n');
    expect(socket.read(0)).to.equal(null);
    expect(String(socket.read())).to.equal('HTTP/1.1 200 OK\r\n\r\n');
  });
});
