// Moves records from one topic to another, each once, with transactions of which every third is aborted; then is fenced by its successor.
// java ExactlyOnce.java SERVERS RECORDS. Prints what kafka-java.e2e.test.ts expects.
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class ExactlyOnce {
  static final Duration POLL = Duration.ofMillis(500);
  static String servers;

  static Map<String, Object> settings(Object... namesAndValues) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", servers);
    for (int at = 0; at < namesAndValues.length; at += 2)
      settings.put((String) namesAndValues[at], namesAndValues[at + 1]);
    return settings;
  }

  static KafkaProducer<String, String> producer(Object... more) {
    return new KafkaProducer<>(settings(more), new StringSerializer(), new StringSerializer());
  }

  static KafkaConsumer<String, String> reader(Object... more) {
    Map<String, Object> settings = settings(more);
    settings.put("auto.offset.reset", "earliest");
    settings.put("isolation.level", "read_committed");
    return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
  }

  static void move(int records) {
    int moved = 0;
    try (var source = reader("group.id", "movers", "group.instance.id", "mover-1", "enable.auto.commit", false,
            "max.poll.records", Math.max(1, records / 8), "partition.assignment.strategy",
            CooperativeStickyAssignor.class.getName());
        var target = producer("transactional.id", "mover")) {
      target.initTransactions();
      source.subscribe(List.of("in"));
      for (int round = 0; moved < records;) {
        ConsumerRecords<String, String> taken = source.poll(POLL);
        if (taken.isEmpty()) continue;
        round += 1;
        target.beginTransaction();
        taken.forEach(record -> target.send(new ProducerRecord<>("out", record.key(), record.value())));
        if (round % 3 == 2) {
          target.flush();
          target.abortTransaction();
          for (TopicPartition partition : taken.partitions())
            source.seek(partition, taken.records(partition).get(0).offset());
          continue;
        }
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (TopicPartition partition : taken.partitions()) {
          var last = taken.records(partition).get(taken.records(partition).size() - 1);
          offsets.put(partition, new OffsetAndMetadata(last.offset() + 1));
        }
        target.sendOffsetsToTransaction(offsets, source.groupMetadata());
        target.commitTransaction();
        moved += taken.count();
      }
    }
    System.out.println("moved " + moved);
  }

  static void count(int records) {
    List<String> keys = new ArrayList<>();
    try (var target = reader("group.id", "counters")) {
      target.subscribe(List.of("out"));
      while (keys.size() < records) target.poll(POLL).forEach(record -> keys.add(record.key()));
      // What else there were, were there more.
      target.poll(POLL).forEach(record -> keys.add(record.key()));
    }
    System.out.println("there " + keys.size() + ", different " + new HashSet<>(keys).size());
  }

  static void fence() {
    try (var first = producer("transactional.id", "fenced"); var second = producer("transactional.id", "fenced")) {
      first.initTransactions();
      first.beginTransaction();
      first.send(new ProducerRecord<>("out", "nobody's", ""));
      first.flush();
      second.initTransactions();
      first.commitTransaction();
      System.out.println("not fenced");
    } catch (KafkaException problem) {
      System.out.println("fenced: " + problem.getClass().getSimpleName());
    }
  }

  public static void main(String[] arguments) throws Exception {
    servers = arguments[0];
    int records = Integer.parseInt(arguments[1]);
    try (Admin admin = Admin.create(settings())) {
      admin.createTopics(List.of(new NewTopic("in", 3, (short) 3), new NewTopic("out", 3, (short) 3))).all().get();
    }
    try (var source = producer("compression.type", "zstd", "linger.ms", 5)) {
      for (int each = 0; each < records; each += 1)
        source.send(new ProducerRecord<>("in", "k" + each, "v" + each));
    }
    move(records);
    fence();
    count(records);
  }
}
