"""Files as bytes and text: discovery, decoding, line and column conversions, atomic writing."""
