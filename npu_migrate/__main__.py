"""``python -m npu_migrate``."""

from npu_migrate.start import main

if __name__ == "__main__":
    main()
