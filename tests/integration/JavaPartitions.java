// Prints what Java's Kafka client makes of keys: for each line of standard input, a key in hexadecimal, the line
// "<murmur2> <partition of 12>".

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HexFormat;
import org.apache.kafka.common.utils.Utils;

public class JavaPartitions {
  public static void main(String[] arguments) throws Exception {
    var in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      int hash = Utils.murmur2(HexFormat.of().parseHex(line));
      System.out.println(hash + " " + Utils.toPositive(hash) % 12);
    }
  }
}
