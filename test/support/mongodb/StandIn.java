import de.bwaldvogel.mongo.MongoBackend;
import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.DefaultQueryMatcher;
import de.bwaldvogel.mongo.backend.DocumentWithPosition;
import de.bwaldvogel.mongo.backend.EmptyIndex;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.KeyValue;
import de.bwaldvogel.mongo.backend.Missing;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.backend.ValueComparator;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.h2.H2Collection;
import de.bwaldvogel.mongo.backend.h2.H2Database;
import de.bwaldvogel.mongo.bson.BsonRegularExpression;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.DuplicateKeyError;
import de.bwaldvogel.mongo.exception.MongoServerError;
import de.bwaldvogel.mongo.oplog.NoopOplog;
import de.bwaldvogel.mongo.wire.bson.BsonDecoder;
import de.bwaldvogel.mongo.wire.bson.BsonEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;

/**
 * A stand-in for a standalone MongoDB 7, for tests: mongo-java-server, with the behaviour that our adapters need and that the
 * library lacks or implements differently. Started from its source: java -cp JARS StandIn.java --port N [--data FILE]
 */
public final class StandIn {
  public static void main(String[] arguments) throws Exception {
    List<String> given = Arrays.asList(arguments);
    int port = Integer.parseInt(given.get(given.indexOf("--port") + 1));
    String file = given.contains("--data") ? given.get(given.indexOf("--data") + 1) : null;

    Backend backend = new Backend(new MVStore.Builder()
        .fileName(file)
        .autoCommitDisabled()
        .autoCommitBufferSize(0) // otherwise large commands are committed in parts
        .open());
    // The library counts itself as MongoDB 5.0 with wire version 8 at most, and the driver refuses less than 9.
    MongoBackend seven = backend.version(new MongoVersion() {
      @Override public List<Integer> getVersionArray() { return List.of(7, 0, 0); }
      @Override public int getWireVersion() { return 21; }
    });
    MongoServer server = new MongoServer(seven);
    try {
      server.bind("127.0.0.1", port);
    } catch (Exception error) { // Netty throws the checked BindException without saying so
      System.err.println("cannot listen on 127.0.0.1:" + port + ": " + error.getMessage());
      Runtime.getRuntime().halt(1);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    backend.keepTime();
    System.out.println("ready on port " + server.getLocalAddress().getPort());

    if (given.contains("--until-stdin-ends")) {
      // The parent process was killed, so no SIGTERM will come.
      while (System.in.read() >= 0) continue;
      System.exit(0);
    }
  }
}

/**
 * One command at a time, and commits to the file only between commands, so that `kill -9` never leaves half of one.
 * As on MongoDB, what was asked to be journalled is in the file before it is acknowledged, anything else 100 ms later.
 */
final class Backend extends H2Backend {
  private static final Set<String> READS =
      Set.of("hello", "isMaster", "ismaster", "ping", "find", "getMore", "aggregate", "count", "distinct", "endSessions");

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(work -> {
    Thread thread = new Thread(work, "commit-and-expire");
    thread.setDaemon(true);
    return thread;
  });
  private boolean unsaved;
  private boolean closed;

  Backend(MVStore store) {
    super(store);
    store.setRetentionTime(0); // written data survives a killed process, though not a power cut
  }

  void keepTime() {
    timer.scheduleWithFixedDelay(this::save, 100, 100, TimeUnit.MILLISECONDS);
    timer.scheduleWithFixedDelay(this::expire, 1, 1, TimeUnit.SECONDS); // MongoDB: every minute, which is too long for a test
  }

  private synchronized void save() {
    if (closed || !unsaved) return;
    commit();
    unsaved = false;
  }

  private synchronized void expire() {
    if (closed) return;
    for (String name : listDatabaseNames()) {
      if (resolveDatabase(name) instanceof Database database) unsaved |= database.expire(Instant.now());
    }
  }

  @Override
  public synchronized void close() {
    if (closed) return;
    closed = true;
    timer.shutdownNow();
    super.close();
  }

  @Override
  protected MongoDatabase openOrCreateDatabase(String name) {
    return new Database(name);
  }

  @Override
  public synchronized Document handleCommand(Channel channel, String database, String command, Document query) {
    try {
      return switch (command) {
        case "hello" -> super.handleCommand(channel, database, "ismaster", query).append("isWritablePrimary", true);
        case "insert" -> countInserted(query, super.handleCommand(channel, database, command, query));
        case "update" -> isOrdered(query)
            ? updateInOrder(channel, database, query)
            : super.handleCommand(channel, database, command, query);
        case "explain" -> explain(database, query);
        case "drop" -> collection(database, query.get(command)) == null
            ? ok() // MongoDB 7: dropping a missing collection succeeds
            : super.handleCommand(channel, database, command, query);
        case "listIndexes" -> {
          if (collection(database, query.get(command)) == null) throw namespaceNotFound(database + "." + query.get(command));
          yield super.handleCommand(channel, database, command, query);
        }
        case "renameCollection" -> {
          String from = query.get(command).toString();
          if (collection(Utils.getDatabaseNameFromFullName(from), Utils.getCollectionNameFromFullName(from)) == null) {
            throw namespaceNotFound(from);
          }
          yield super.handleCommand(channel, database, command, query);
        }
        default -> super.handleCommand(channel, database, command, query);
      };
    } finally {
      if (!READS.contains(command)) {
        unsaved = true;
        if (isJournalled(query)) save();
      }
    }
  }

  private static boolean isJournalled(Document query) {
    return query.get("writeConcern") instanceof Document concern
        && (Utils.isTrue(concern.get("j")) || "majority".equals(concern.get("w")));
  }

  private static boolean isOrdered(Document query) {
    return !query.containsKey("ordered") || Utils.isTrue(query.get("ordered"));
  }

  /** The library returns the number sent, not the number inserted. */
  private static Document countInserted(Document query, Document answer) {
    if (answer.get("writeErrors") instanceof List<?> errors && errors.get(0) instanceof Document first) {
      int sent = ((List<?>) query.get("documents")).size();
      answer.put("n", isOrdered(query) ? (Integer) first.get("index") : sent - errors.size());
    }
    return answer;
  }

  /** The library continues after an error even if the batch is ordered. */
  private Document updateInOrder(Channel channel, String database, Document query) {
    int matched = 0;
    int modified = 0;
    List<Document> upserted = new ArrayList<>();
    List<Document> errors = new ArrayList<>();
    List<?> updates = (List<?>) query.get("updates");
    for (int index = 0; index < updates.size() && errors.isEmpty(); index++) {
      Document single = query.clone();
      single.put("updates", List.of(updates.get(index)));
      Document answer = super.handleCommand(channel, database, "update", single);
      matched += (Integer) answer.get("n");
      modified += (Integer) answer.get("nModified");
      renumber(answer.get("upserted"), index, upserted);
      renumber(answer.get("writeErrors"), index, errors);
    }
    Document answer = new Document("n", matched).append("nModified", modified);
    if (!upserted.isEmpty()) answer.append("upserted", upserted);
    if (!errors.isEmpty()) answer.append("writeErrors", errors);
    Utils.markOkay(answer);
    return answer;
  }

  private static void renumber(Object entries, int index, List<Document> into) {
    if (!(entries instanceof Collection<?> documents)) return;
    for (Object entry : documents) into.add(((Document) entry).append("index", index));
  }

  private Document explain(String database, Document query) {
    Document explained = (Document) query.get("explain");
    String command = explained.keySet().iterator().next();
    Document statement = switch (command) {
      case "update" -> (Document) ((List<?>) explained.get("updates")).get(0);
      case "delete" -> (Document) ((List<?>) explained.get("deletes")).get(0);
      default -> explained;
    };
    Object filter = Stream.of("filter", "q", "query")
        .map(statement::get)
        .filter(Document.class::isInstance)
        .findFirst()
        .orElse(new Document());
    int limit = statement.get("limit") instanceof Number number ? number.intValue() : command.equals("findAndModify") ? 1 : 0;
    IndexedCollection collection = collection(database, explained.get(command));
    Document answer = new Document("explainVersion", "1").append("command", explained);
    if (collection == null) {
      answer.append("queryPlanner", new Document("winningPlan", new Document("stage", "EOF")));
    } else {
      answer.putAll(collection.explain((Document) filter, (Document) statement.get("sort"), limit));
    }
    Utils.markOkay(answer);
    return answer;
  }

  private IndexedCollection collection(String database, Object name) {
    return (IndexedCollection) resolveDatabase(database).resolveCollection(name.toString(), false);
  }

  private static Document ok() {
    Document answer = new Document();
    Utils.markOkay(answer);
    return answer;
  }

  private static MongoServerError namespaceNotFound(String namespace) {
    return new MongoServerError(26, "NamespaceNotFound", "ns does not exist: " + namespace);
  }

  /** A database whose indexes are real ones. The library's knows only unique indexes, and takes a partial one for a whole one. */
  final class Database extends H2Database {
    private static final Set<String> NOT_OPTIONS = Set.of("key", "name", "ns", "v");
    private Document creating; // no initialiser: the constructor above this one opens indexes already

    Database(String name) {
      super(name, getMvStore(), getCursorRegistry());
    }

    @Override
    protected MongoCollection<Object> openOrCreateCollection(String name, CollectionOptions options) {
      String namespace = getFullCollectionNamespace(name);
      MVMap<Object, Document> documents =
          getMvStore().openMap("databases." + namespace, new MVMap.Builder<Object, Document>().valueType(BsonType.INSTANCE));
      MVMap<String, Object> meta = getMvStore().openMap("meta." + namespace);
      return new IndexedCollection(this, name, options, documents, meta, cursorRegistry);
    }

    @Override
    protected synchronized void addIndex(Document description) {
      for (Document existing : descriptions(description.get("ns"))) {
        boolean sameName = existing.get("name").equals(description.get("name"));
        boolean sameKey = inOrder(existing.get("key")).equals(inOrder(description.get("key")));
        boolean sameOptions = options(existing).equals(options(description));
        if (sameName && sameKey && sameOptions) return;
        if (sameName && !sameKey) {
          throw new MongoServerError(86, "IndexKeySpecsConflict", "An existing index has the requested name: " + existing);
        }
        if (sameKey) {
          throw new MongoServerError(85, "IndexOptionsConflict", "An index exists with another name or options: " + existing);
        }
      }
      Document outer = creating; // an index on a collection that is not there yet creates that one's _id index within
      creating = description;
      try {
        super.addIndex(description);
      } finally {
        creating = outer;
      }
    }

    private static List<Map.Entry<String, Object>> inOrder(Object key) {
      return List.copyOf(((Document) key).entrySet());
    }

    private static Map<String, Object> options(Document description) {
      Map<String, Object> options = new LinkedHashMap<>(description);
      options.keySet().removeAll(NOT_OPTIONS);
      return options;
    }

    @Override
    protected Index<Object> openOrCreateUniqueIndex(String collection, String name, List<IndexKey> keys, boolean sparse) {
      return new SortedIndex(keys, true, describe(collection, name));
    }

    @Override
    protected Index<Object> openOrCreateSecondaryIndex(String collection, String name, List<IndexKey> keys, boolean sparse) {
      return new SortedIndex(keys, false, describe(collection, name));
    }

    private Document describe(String collection, String name) {
      if (creating != null && creating.get("name").equals(name)) return creating;
      return descriptions(getFullCollectionNamespace(collection)).stream()
          .filter(description -> description.get("name").equals(name))
          .findFirst()
          .orElseThrow();
    }

    private List<Document> descriptions(Object namespace) {
      if (indexes.get() == null) return List.of();
      return indexes.get().queryAllAsStream()
          .filter(description -> description.get("ns").equals(namespace))
          .collect(Collectors.toList());
    }

    @Override
    public void moveCollection(MongoDatabase from, MongoCollection<?> collection, String newName) {
      // The library looks for the documents under the new name, where they are not, and finds none after a restart.
      for (String kind : List.of("databases.", "meta.")) {
        MVMap<Object, Object> moved = getMvStore().openMap(kind + collection.getFullName());
        getMvStore().renameMap(moved, kind + getFullCollectionNamespace(newName));
      }
      super.moveCollection(from, collection, newName);
    }

    boolean expire(Instant now) {
      boolean expired = false;
      if (indexes.get() == null) return false;
      for (Document description : indexes.get().queryAll()) {
        if (!(description.get("expireAfterSeconds") instanceof Number seconds)) continue;
        String field = ((Document) description.get("key")).keySet().iterator().next();
        Document old = new Document(field, new Document("$lte", now.minusSeconds(seconds.longValue())));
        if (description.get("partialFilterExpression") instanceof Document filter) {
          old = new Document("$and", List.of(old, filter));
        }
        String name = Utils.getCollectionNameFromFullName(description.get("ns").toString());
        MongoCollection<Object> collection = resolveCollection(name, false);
        expired |= collection != null && collection.deleteDocuments(old, 0, NoopOplog.get()) > 0;
      }
      return expired;
    }
  }
}

/** Writes documents to the file as BSON: a third of the size of Java's serialisation, which the library leaves it to. */
final class BsonType extends BasicDataType<Document> {
  static final BsonType INSTANCE = new BsonType();

  @Override
  public int getMemory(Document document) {
    return 512; // a guess will do: it only says when a page of the map is split
  }

  @Override
  public void write(WriteBuffer buffer, Document document) {
    ByteBuf bytes = Unpooled.buffer();
    BsonEncoder.encodeDocument(document, bytes);
    buffer.put(bytes.nioBuffer());
  }

  @Override
  public Document read(ByteBuffer buffer) {
    ByteBuf bytes = Unpooled.wrappedBuffer(buffer);
    Document document = BsonDecoder.decodeBson(bytes);
    buffer.position(buffer.position() + bytes.readerIndex());
    return document;
  }

  @Override
  public Document[] createStorage(int size) {
    return new Document[size];
  }
}

/** Finds by index where it can, and hands out copies: the library hands out documents that later updates change. */
final class IndexedCollection extends H2Collection {
  private static final DefaultQueryMatcher MATCHER = new DefaultQueryMatcher();

  IndexedCollection(
      MongoDatabase database,
      String name,
      CollectionOptions options,
      MVMap<Object, Document> documents,
      MVMap<String, Object> meta,
      CursorRegistry cursors) {
    super(database, name, options, documents, meta, cursors);
  }

  @Override
  protected synchronized QueryResult queryDocuments(
      Document query, Document orderBy, int skip, int limit, int batchSize, Document fields) {
    Plan plan = plan(query, orderBy);
    if (plan == null) return matchDocuments(query, orderBy, skip, limit, batchSize, fields);
    Stream<Document> found = plan.positions().map(this::getDocument);
    return matchDocumentsFromStream(found, query, plan.inOrder() ? null : orderBy, skip, limit, batchSize, fields);
  }

  @Override
  protected QueryResult createQueryResult(List<Document> matched, int batchSize) {
    return super.createQueryResult(matched.stream().map(Document::cloneDeeply).collect(Collectors.toList()), batchSize);
  }

  private Plan plan(Document query, Document orderBy) {
    if (query == null || orderBy != null && orderBy.containsKey("$natural")) return null;
    return getIndexes().stream()
        .map(index -> ((SortedIndex) index).plan(query, orderBy))
        .filter(plan -> plan != null && plan.worth() > 0)
        .max(Comparator.comparingInt(Plan::worth))
        .orElse(null);
  }

  /** The parts of MongoDB's answer that a test of indexes asks for: which index, whether it sorts, how much it examined. */
  synchronized Document explain(Document query, Document orderBy, int limit) {
    Plan plan = plan(query, orderBy);
    boolean sorts = orderBy != null && !orderBy.isEmpty() && (plan == null || !plan.inOrder());
    Document found = plan == null
        ? new Document("stage", "COLLSCAN")
        : new Document("stage", "FETCH").append("inputStage", plan.index().describe(plan));
    Stream<Document> candidates = plan == null
        ? streamAllDocumentsWithPosition().map(DocumentWithPosition::getDocument)
        : plan.positions().map(this::getDocument);
    int[] examined = {0};
    Stream<Document> matched = candidates.peek(document -> examined[0]++).filter(document -> MATCHER.matches(document, query));
    long returned = (limit > 0 && !sorts ? matched.limit(limit) : matched).toList().size();
    return new Document("queryPlanner", new Document("namespace", getFullName())
            .append("winningPlan", sorts ? new Document("stage", "SORT").append("inputStage", found) : found))
        .append("executionStats", new Document("executionSuccess", true)
            .append("nReturned", (int) (limit > 0 ? Math.min(limit, returned) : returned))
            .append("totalKeysExamined", plan == null ? 0 : examined[0])
            .append("totalDocsExamined", examined[0]));
  }
}

/** How an index answers a query: the ranges of keys to read, and whether they come in the order that was asked for. */
record Plan(SortedIndex index, List<SortedIndex.Range> ranges, boolean inOrder, boolean backwards, int worth) {
  Stream<Object> positions() {
    return ranges.stream().flatMap(range -> index.positions(range, backwards));
  }
}

/**
 * A sorted index in memory, filled anew when its collection is opened. Unique, compound, sparse and partial as on MongoDB;
 * once it has seen an array it is kept, and guards uniqueness, but no longer answers queries.
 */
final class SortedIndex extends EmptyIndex<Object> {
  /** A key, or a place just before (-1) or after (+1) all keys that begin with these values. */
  record Key(List<Object> values, int side) {}

  record Range(Key from, Key to) {}

  private static final DefaultQueryMatcher MATCHER = new DefaultQueryMatcher();
  private static final ValueComparator VALUES = ValueComparator.ascWithoutListHandling();

  private final boolean unique;
  private final boolean sparse;
  private final Document filter;
  private final Document pattern;
  private final NavigableMap<Key, Set<Object>> positions = new TreeMap<>(this::compare);
  private boolean holdsArrays;

  SortedIndex(List<IndexKey> keys, boolean unique, Document description) {
    super((String) description.get("name"), keys);
    this.unique = unique;
    this.sparse = Utils.isTrue(description.get("sparse"));
    this.filter = (Document) description.get("partialFilterExpression");
    this.pattern = (Document) description.get("key");
  }

  private int compare(Key one, Key other) {
    int shared = Math.min(one.values.size(), other.values.size());
    for (int at = 0; at < shared; at++) {
      int order = VALUES.compare(one.values.get(at), other.values.get(at));
      if (order != 0) return getKeys().get(at).isAscending() ? order : -order;
    }
    return Integer.compare(one.side, other.side);
  }

  private List<Key> keysOf(Document document) {
    if (filter != null && !MATCHER.matches(document, filter)) return List.of();
    List<Object> values = new ArrayList<>();
    for (IndexKey key : getKeys()) values.add(Utils.getSubdocumentValueCollectionAware(document, key.getKey()));
    if (sparse && values.stream().allMatch(Missing.class::isInstance)) return List.of();
    if (values.stream().noneMatch(Collection.class::isInstance)) return List.of(new Key(values, 0));
    holdsArrays = true;
    return getKeyValues(document).stream().map(each -> new Key(each.stream().collect(Collectors.toList()), 0)).toList();
  }

  private static Object positionOf(Document document) {
    return Missing.ofNullable(document.get("_id"));
  }

  @Override
  public void checkAdd(Document document, MongoCollection<Object> collection) {
    if (!unique) return;
    for (Key key : keysOf(document)) {
      Set<Object> holders = positions.get(key);
      if (holders == null || holders.equals(Set.of(positionOf(document))) && !getName().equals("_id_")) continue;
      throw new DuplicateKeyError(this, collection, getKeys(), new KeyValue(key.values));
    }
  }

  @Override
  public void checkUpdate(Document before, Document after, MongoCollection<Object> collection) {
    if (!getName().equals("_id_")) checkAdd(after, collection);
  }

  @Override
  public void add(Document document, Object position, MongoCollection<Object> collection) {
    checkAdd(document, collection); // while an index is built over duplicates, only this sees them
    for (Key key : keysOf(document)) {
      positions.computeIfAbsent(key, unseen -> new LinkedHashSet<>()).add(Missing.ofNullable(position));
    }
  }

  @Override
  public Object remove(Document document) {
    Object position = positionOf(document);
    boolean held = false;
    for (Key key : keysOf(document)) {
      Set<Object> holders = positions.get(key);
      if (holders == null || !holders.remove(position)) continue;
      held = true;
      if (holders.isEmpty()) positions.remove(key);
    }
    return held ? position : null;
  }

  @Override
  public void updateInPlace(Document before, Document after, Object position, MongoCollection<Object> collection) {
    remove(before);
    add(after, position, collection);
  }

  @Override
  public Object getPosition(Document document) {
    Object position = positionOf(document);
    return keysOf(document).stream().anyMatch(key -> positions.getOrDefault(key, Set.of()).contains(position)) ? position : null;
  }

  @Override public boolean isUnique() { return unique; }
  @Override protected boolean isSparse() { return !getName().equals("_id_"); } // the library's word for: may lack a document
  @Override public long getCount() { return positions.size(); }
  @Override public long getDataSize() { return positions.size(); }

  Stream<Object> positions(Range range, boolean backwards) {
    if (compare(range.from, range.to) > 0) return Stream.of();
    NavigableMap<Key, Set<Object>> within = positions.subMap(range.from, true, range.to, true);
    return (backwards ? within.descendingMap() : within).values().stream().flatMap(Set::stream);
  }

  /** Null where this index cannot answer. Every document that matches is within the ranges; they may hold others too. */
  Plan plan(Document query, Document orderBy) {
    if (holdsArrays || filter != null && !covers(query)) return null;
    if (sparse && getKeys().stream().noneMatch(key -> query.get(key.getKey()) != null)) return null;

    List<List<Object>> prefixes = List.of(List.of());
    int equal = 0;
    for (; equal < getKeys().size(); equal++) {
      Collection<Object> wanted = wantedValues(query, getKeys().get(equal).getKey());
      if (wanted == null) break;
      prefixes = prefixes.stream().flatMap(prefix -> wanted.stream().map(value -> with(prefix, value))).toList();
    }
    IndexKey next = equal < getKeys().size() ? getKeys().get(equal) : null;
    Document bounds = next != null && query.get(next.getKey()) instanceof Document condition ? condition : new Document();
    boolean bounded = Stream.of("$gt", "$gte", "$lt", "$lte").anyMatch(bounds::containsKey);
    List<Range> ranges = prefixes.stream()
        .map(prefix -> bounded ? range(prefix, bounds, next.isAscending()) : new Range(new Key(prefix, -1), new Key(prefix, 1)))
        .toList();

    boolean sorting = orderBy != null && !orderBy.isEmpty();
    Boolean forwards = sorting && prefixes.size() == 1 ? direction(orderBy, equal) : null;
    boolean onlyOneEach = unique && next == null;
    int worth = (onlyOneEach ? 100 : 0) + 4 * equal + (bounded ? 2 : 0) + (forwards != null ? 3 : 0);
    return new Plan(this, ranges, !sorting || forwards != null, forwards != null && !forwards, worth);
  }

  /** Whether the query asks for nothing but what the partial index holds: each of its conditions, or any value where it has one. */
  private boolean covers(Document query) {
    return filter.entrySet().stream().allMatch(condition -> {
      Object wanted = query.get(condition.getKey());
      if (condition.getValue().equals(new Document("$exists", true))) return asksForValue(wanted);
      return condition.getValue().equals(wanted);
    });
  }

  private static boolean asksForValue(Object wanted) {
    if (!(wanted instanceof Document operators)) return wanted != null;
    if (operators.get("$in") instanceof Collection<?> values) return !values.contains(null);
    return Stream.of("$gt", "$gte", "$lt", "$lte").anyMatch(operator -> operators.get(operator) != null);
  }

  private static List<Object> with(List<Object> values, Object last) {
    List<Object> all = new ArrayList<>(values);
    all.add(last);
    return all;
  }

  /** The values that the field is asked to equal, each once; null where the query asks for something else, or nothing. */
  private static Collection<Object> wantedValues(Document query, String field) {
    if (!query.containsKey(field)) return null;
    Object condition = query.get(field);
    Collection<Object> wanted = new TreeSet<>(VALUES);
    if (condition instanceof Document operators && operators.keySet().stream().anyMatch(key -> key.startsWith("$"))) {
      if (operators.containsKey("$eq")) wanted.add(operators.get("$eq"));
      else if (operators.get("$in") instanceof Collection<?> values) wanted.addAll(values);
      else return null;
    } else {
      wanted.add(condition);
    }
    return wanted.stream().anyMatch(value -> value instanceof Collection || value instanceof BsonRegularExpression) ? null : wanted;
  }

  private static Range range(List<Object> prefix, Document bounds, boolean ascending) {
    // Comparisons never match null, which sorts first: do not read those who have no value.
    Key low = new Key(with(prefix, null), 1);
    Key high = new Key(prefix, 1);
    int before = ascending ? -1 : 1;
    if (!ascending) {
      low = new Key(prefix, -1);
      high = new Key(with(prefix, null), -1);
    }
    for (Map.Entry<String, Object> bound : bounds.entrySet()) {
      List<Object> values = with(prefix, bound.getValue());
      switch (bound.getKey()) {
        case "$gt", "$gte" -> {
          Key key = new Key(values, bound.getKey().equals("$gte") ? before : -before);
          if (ascending) low = key; else high = key;
        }
        case "$lt", "$lte" -> {
          Key key = new Key(values, bound.getKey().equals("$lt") ? before : -before);
          if (ascending) high = key; else low = key;
        }
        default -> { }
      }
    }
    return new Range(low, high);
  }

  /** True: as the index runs; false: backwards; null: the index does not run in that order. */
  private Boolean direction(Document orderBy, int equal) {
    Set<String> fixed = getKeys().subList(0, equal).stream().map(IndexKey::getKey).collect(Collectors.toSet());
    Boolean forwards = null;
    int at = equal;
    for (Map.Entry<String, Object> field : orderBy.entrySet()) {
      if (fixed.contains(field.getKey())) continue;
      if (at == getKeys().size() || !getKeys().get(at).getKey().equals(field.getKey())) return null;
      boolean same = ((Number) field.getValue()).intValue() > 0 == getKeys().get(at++).isAscending();
      if (forwards != null && forwards != same) return null;
      forwards = same;
    }
    return forwards == null ? Boolean.TRUE : forwards;
  }

  Document describe(Plan plan) {
    return new Document("stage", "IXSCAN")
        .append("keyPattern", pattern)
        .append("indexName", getName())
        .append("isUnique", unique)
        .append("isPartial", filter != null)
        .append("direction", plan.backwards() ? "backward" : "forward");
  }
}
