// Kafka Streams counts words, exactly once (exactly_once_v2), over a repartition topic and a state store with a changelog.
// java WordCount.java SERVERS FOLDER. Prints what kafka-java.e2e.test.ts expects.
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;

public class WordCount {
  static final int WORDS = 10;
  static final int OF_EACH = 100;

  static Properties settings(String servers, String folder) {
    Properties settings = new Properties();
    settings.put("application.id", "word-count");
    settings.put("bootstrap.servers", servers);
    settings.put("default.key.serde", Serdes.StringSerde.class);
    settings.put("default.value.serde", Serdes.StringSerde.class);
    settings.put("processing.guarantee", "exactly_once_v2");
    settings.put("replication.factor", 3);
    settings.put("num.stream.threads", 2);
    settings.put("commit.interval.ms", 100);
    settings.put("state.dir", folder);
    return settings;
  }

  static Map<String, String> counted(String servers) {
    Map<String, String> counts = new TreeMap<>();
    Map<String, Object> settings = Map.of("bootstrap.servers", servers, "group.id", "readers", "auto.offset.reset",
        "earliest", "isolation.level", "read_committed");
    try (var reader = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      reader.subscribe(List.of("counts"));
      String all = Integer.toString(OF_EACH);
      while (counts.size() < WORDS || !counts.values().stream().allMatch(all::equals))
        reader.poll(Duration.ofMillis(300)).forEach(record -> counts.put(record.key(), record.value()));
    }
    return counts;
  }

  public static void main(String[] arguments) throws Exception {
    String servers = arguments[0];
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      admin.createTopics(List.of(new NewTopic("words", 2, (short) 3), new NewTopic("counts", 2, (short) 3))).all().get();
    }
    StreamsBuilder topology = new StreamsBuilder();
    topology.<String, String>stream("words").groupBy((key, word) -> word).count().toStream()
        .mapValues(count -> Long.toString(count)).to("counts");
    KafkaStreams streams = new KafkaStreams(topology.build(), settings(servers, arguments[1]));
    streams.start();
    Map<String, Object> sending = Map.of("bootstrap.servers", servers);
    try (var source = new KafkaProducer<>(sending, new StringSerializer(), new StringSerializer())) {
      for (int each = 0; each < WORDS * OF_EACH; each += 1)
        source.send(new ProducerRecord<>("words", "w" + each % WORDS));
    }
    System.out.println(counted(servers));
    System.out.println("closed " + streams.close(Duration.ofSeconds(20)));
  }
}
