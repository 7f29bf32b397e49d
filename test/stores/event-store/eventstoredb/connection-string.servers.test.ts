import { expect } from 'chai';
import {
  InvalidConnectionString,
  parseConnectionString,
} from '../../../../src/stores/event-store/eventstoredb/connection/connection-string.js';

describe('a connection string of EventStoreDB', () => {
  it('names one node, with the port and TLS that are usual', () => {
    expect(parseConnectionString('esdb://db.example.com')).to.deep.include({
      hosts: [{ address: 'db.example.com', port: 2113 }],
      discover: false,
      tls: true,
      credentials: undefined,
    });
  });

  it('names several nodes, or the DNS name of all', () => {
    expect(parseConnectionString('esdb://a:1,b:2,c/?tls=false')).to.deep.include({
      hosts: [
        { address: 'a', port: 1 },
        { address: 'b', port: 2 },
        { address: 'c', port: 2113 },
      ],
      tls: false,
    });
    expect(parseConnectionString('esdb+discover://cluster.example.com:2113')).to.include({ discover: true });
  });

  it('begins as the clients of KurrentDB write it, too', () => {
    expect(parseConnectionString('kurrentdb://user:secret@a:1,b?tls=false')).to.deep.equal(
      parseConnectionString('esdb://user:secret@a:1,b?tls=false'),
    );
    expect(parseConnectionString('kurrentdb+discover://cluster.example.com')).to.deep.equal(
      parseConnectionString('esdb+discover://cluster.example.com'),
    );
  });

  it('holds a user and a password, percent-encoded', () => {
    const { credentials } = parseConnectionString('esdb://us%3Aer:p%40ss%2Fw%25rd@db:2113');
    expect(credentials).to.deep.equal({ username: 'us:er', password: 'p@ss/w%rd' });
  });

  it('takes the options of the client, in any way of writing them', () => {
    const settings = parseConnectionString(
      'esdb://db?Keep-Alive-Interval=20000&node_preference=readOnlyReplica&tlscafile=%2Fca.pem&connectionName=x',
    );
    expect(settings.timing).to.deep.equal({ keepAliveInterval: 20_000 });
    expect(settings).to.include({ nodePreference: 'read_only_replica', connectionName: 'x' });
    expect(settings.files).to.deep.equal({ ca: '/ca.pem' });
  });

  for (const [text, says] of [
    ['esdb://user:se@cret@db:2113', /%40/],
    ['esdb://user:se:cret@db:2113', /%3A/],
    ['esdb://user:se/cret@db:2113', /%2F/],
    ['esdb://user:se?cret@db:2113', /%3F/],
    ['esdb://user:se#cret@db:2113', /%23/],
    ['esdb://user:%secret@db:2113', /percent-encoding/],
    ['esdb://secret@db:2113', /both/],
    ['http://user:secret@db:2113', /esdb:\/\/, esdb\+discover:\/\/, kurrentdb:\/\/ or kurrentdb\+discover:\/\//],
    ['kurrentdb://user:se@cret@db:2113', /%40/],
    ['esdb://', /esdb:\/\//],
    ['esdb://user:secret@db:99999', /port/],
    ['esdb://user:secret@d b', /host/],
    ['esdb://user:secret@db?tsl=false', /its options are/],
    ['esdb://user:secret@db?tls', /its options are/],
    ['esdb://user:secret@db?tls=no', /tls is true or false/],
    ['esdb://user:secret@db?tlsVerifyCert=false', /tlsCAFile/],
    ['esdb://user:secret@db?keepAliveInterval=soon', /whole number/],
    ['esdb://user:secret@db?nodePreference=any', /nodePreference is/],
    ['esdb://user:secret@db?userCertFile=x', /go together/],
  ] as const) {
    it(`is refused where it is ${text.replace('secret', '…')}, without revealing the password`, () => {
      expect(() => parseConnectionString(text))
        .to.throw(InvalidConnectionString, says)
        .with.property('message')
        .that.does.not.match(/cret/);
    });
  }
});
